// Package strictyaml reads one YAML document into tagged Go structs and refuses whatever it does not understand.
//
// A scenario is a promise: a misspelt key that is silently ignored gives a right answer to a question nobody asked.
// So every key must exist, every value must have the type, unit and range of its field, and nothing may be said
// twice. All problems of a document are collected, each with the line and column it stands at, and returned together
// as [Problems].
//
// The structs carry the schema in their tags:
//
//	AlphaTimer units.Time `key:"alpha_timer" default:"55us" min:"1ns" doc:"time without a CNP after which alpha decays" source:"DCQCN, SIGCOMM 2015"`
//
// key is the YAML name; default, min and max are written as a user would write the value (lists and maps in YAML's
// flow form); oneof:"a|b" lists the only values allowed; required:"true" has no default; unless:"other" marks the
// alternative of another key, of which only one may be given; alone:"other" on a struct names its key whose value may
// stand alone in place of the block; kinds:"topology" on a field of type [Block] names the
// set of kinds it chooses from; like:"other" on a list of structs gives each of them the values of the struct at key
// other for the keys that it leaves out; doc and source explain the value to people. An embedded struct tagged key:",inline"
// lends its keys to the struct around it. A nil pointer is a key that was left out.
//
// The way of a document is [Parse], then [Document.Set] for overrides from the command line, then [Document.Decode],
// which fills in defaults and remembers in [Origins] where each value came from, then [Validate], which runs the
// structs' own checks. [Encode] writes the values back.
//
// Invariants: no input makes the package panic or run without bound (nesting and the expansion of aliases are
// limited); decoding depends on nothing but the bytes, the overrides and the types; what Encode writes decodes to the
// same values.
package strictyaml
