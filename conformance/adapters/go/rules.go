// SPDX-License-Identifier: MIT

package main

// callRules are the rules of a block: calls with `name` and `args`.
type callRules struct {
	limit   int
	names   []string // of the complete calls
	name    string   // of the open call, or ""
	hasArgs bool
}

func (c *callRules) begin(index int) *problem {
	c.name, c.hasArgs = "", false
	if index >= c.limit {
		return broken("limit-calls", "no more calls in this block")
	}
	return nil
}

func (c *callRules) value(member string, first rune) *problem {
	switch member {
	case "name":
		if first != '"' {
			return broken("bad-name", "a string")
		}
	case "args":
		c.hasArgs = true
		if first != '{' {
			return broken("bad-args", "an object")
		}
	}
	return nil
}

func (c *callRules) text(member, value string) *problem {
	if member != "name" {
		return nil
	}
	if value == "" || value == reservedTool {
		return broken("bad-name", "the name of a tool")
	}
	c.name = value
	return nil
}

func (c *callRules) endElement() *problem {
	if c.name == "" {
		return broken("missing-name", "a member `name`")
	}
	if !c.hasArgs {
		return broken("missing-args", "a member `args`")
	}
	c.names = append(c.names, c.name)
	return nil
}

func (c *callRules) endArray() *problem {
	return nil
}

// resultRules are the rules of results: one item for each tool that was called.
type resultRules struct {
	tools    []string
	isAnswer bool // to a void block, which ran no tools (xj-results-void)

	items     int
	succeeded int

	members   map[string]bool // of the open item
	status    string
	isMessage bool // its content is a string
}

func (r *resultRules) begin(index int) *problem {
	r.members = map[string]bool{}
	if index >= len(r.tools) {
		return broken("results-count", "no more items than calls")
	}
	return nil
}

func (r *resultRules) value(member string, first rune) *problem {
	r.members[member] = true
	isString := first == '"'
	switch member {
	case "tool", "status":
		if !isString {
			return broken("results-shape", "a string")
		}
	case "content":
		r.isMessage = isString
	}
	return nil
}

func (r *resultRules) text(member, value string) *problem {
	switch member {
	case "tool":
		if tool := r.tools[r.items]; value != tool {
			return broken("results-order", "the result of the tool "+tool)
		}
	case "status":
		r.status = value
		if value != "success" && value != "failure" {
			return broken("results-shape", "success or failure")
		}
	}
	return nil
}

func (r *resultRules) endElement() *problem {
	if !(r.members["tool"] && r.members["status"] && r.members["content"]) {
		return broken("results-shape", "the members `tool`, `status` and `content`")
	}
	isSuccess := r.status == "success"
	if isSuccess && r.isAnswer || !isSuccess && !r.isMessage {
		return broken("results-shape", "a failure, with a string as its content")
	}
	if isSuccess {
		r.succeeded++
	}
	r.items++
	return nil
}

func (r *resultRules) endArray() *problem {
	if r.items < len(r.tools) {
		return broken("results-count", "one item for each call")
	}
	return nil
}

// payload counts the items (xj-result-payload).
func (r *resultRules) payload() *Payload {
	executed := r.items
	if r.isAnswer {
		executed = 0
	}
	return &Payload{executed, r.succeeded, r.items - r.succeeded}
}
