package record

// ComparedColumns are the columns of tables of programs, by the names of tables, that are set side by side.
func ComparedColumns() map[string][]string {
	all := map[string][]string{}
	for _, p := range programTables {
		all[p.table] = p.show
		if p.of != "" {
			all[p.table] = append([]string{p.of}, p.show...)
		}
	}
	return all
}
