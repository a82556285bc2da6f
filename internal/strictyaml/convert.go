package strictyaml

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// converter turns the library's nodes into ours.
type converter struct {
	doc      *Document
	open     map[*yaml.Node]bool // anchored nodes being converted, to notice one that contains itself
	aliases  int                 // depth of aliases being followed
	expanded int                 // values made by following aliases
}

// trail is the way from the root to a node. It becomes a path only when there is something to report.
type trail struct {
	outer *trail
	key   string // empty for an entry of a list
	index int
}

// String returns the path, such as workloads[0].size.
func (t *trail) String() string {
	switch {
	case t == nil:
		return ""
	case t.key == "":
		return entryPath(t.outer.String(), t.index)
	}
	return join(t.outer.String(), t.key)
}

func (c *converter) report(n *yaml.Node, way *trail, wrong, right string) {
	c.doc.report(c.doc.at(n), way.String(), wrong, right)
}

// convert returns the tree of n, or nil if it had to be given up; the reason has then been reported.
func (c *converter) convert(n *yaml.Node, way *trail, depth int) *node {
	switch {
	case depth > maxDepth:
		c.report(n, way, fmt.Sprintf("blocks are nested more than %d deep", maxDepth), "")
		return nil
	case n.Kind == yaml.AliasNode:
		return c.follow(n, way, depth)
	case c.aliases > 0 && !c.spend(n, way):
		return nil
	}
	if n.Anchor != "" {
		c.open[n] = true
		defer delete(c.open, n)
	}
	if n.Style&yaml.TaggedStyle != 0 {
		c.report(n, way, fmt.Sprintf("the tag %s is not understood", quote(n.Tag)), "write the value alone")
	}
	out := &node{shape: shapeOf(n), origin: Origin{From: FromFile, Pos: c.doc.at(n)}}
	switch out.shape {
	case mapping:
		c.mapping(out, n, way, depth)
	case list:
		for i, item := range n.Content {
			if v := c.convert(item, &trail{outer: way, index: i}, depth+1); v != nil {
				out.items = append(out.items, v)
			}
		}
	default:
		out.text = n.Value
		out.plain = n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
		out.null = out.plain && n.ShortTag() == "!!null"
	}
	return out
}

// follow expands an alias in place.
func (c *converter) follow(n *yaml.Node, way *trail, depth int) *node {
	if c.open[n.Alias] {
		c.report(n, way, fmt.Sprintf("the alias *%s stands inside what it stands for", n.Value), "write the value out")
		return nil
	}
	c.aliases++
	defer func() { c.aliases-- }()
	return c.convert(n.Alias, way, depth+1)
}

// spend counts a value made by following an alias, and tells whether there may be one more.
func (c *converter) spend(n *yaml.Node, way *trail) bool {
	c.expanded++
	if c.expanded == maxExpanded+1 {
		c.report(n, way, fmt.Sprintf("aliases expand to more than %d values", maxExpanded), "write the values out")
	}
	return c.expanded <= maxExpanded
}

// mapping converts the keys and values of a mapping and reports what a key must not be.
func (c *converter) mapping(out *node, n *yaml.Node, way *trail, depth int) {
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		here := &trail{outer: way, key: k.Value}
		switch line, twice := first[k.Value]; {
		case k.Kind != yaml.ScalarNode:
			c.report(n.Content[i], way, "a key is "+shapeOf(k).String(), "want a word")
		case k.Value == "" || len(k.Value) > maxKey:
			c.report(n.Content[i], way, fmt.Sprintf("a key of %d characters", len(k.Value)), fmt.Sprintf("want 1 to %d", maxKey))
		case k.ShortTag() == "!!merge":
			c.report(n.Content[i], here, "merge keys are not supported", "write the keys out")
		case twice:
			c.report(n.Content[i], here, fmt.Sprintf("the key is already given on line %d", line), "keep one of them")
		default:
			first[k.Value] = k.Line
			if v := c.convert(n.Content[i+1], here, depth+1); v != nil {
				out.entries = append(out.entries, entry{key: k.Value, keyPos: c.doc.at(n.Content[i]), value: v})
			}
		}
	}
}

func shapeOf(n *yaml.Node) shape {
	switch n.Kind {
	case yaml.MappingNode:
		return mapping
	case yaml.SequenceNode:
		return list
	}
	return scalar
}
