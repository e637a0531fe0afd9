// Reads a dashboard as Grafana's own schema has it: unknown and misspelt fields are errors.
// `strict FILE` prints what is wrong with it, and exits with 1 if anything is.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

var failed = false

// An empty list of errors is how the SDK says that all is well; it is not nil.
func say(where string, err error) {
	if err == nil || err.Error() == "" {
		return
	}
	failed = true
	fmt.Printf("%s: %s\n", where, err)
}

func main() {
	plugins.RegisterDefaultPlugins()
	raw, err := os.ReadFile(os.Args[1])
	say("file", err)
	page := dashboard.Dashboard{}
	say("dashboard", page.UnmarshalJSONStrict(raw))
	parts := struct {
		Panels []json.RawMessage `json:"panels"`
	}{}
	say("panels", json.Unmarshal(raw, &parts))
	rows, panels := 0, 0
	for place, part := range parts.Panels {
		kind := struct {
			Type string `json:"type"`
		}{}
		where := fmt.Sprintf("panels[%d]", place)
		say(where, json.Unmarshal(part, &kind))
		if kind.Type == "row" {
			row := dashboard.RowPanel{}
			say(where, row.UnmarshalJSONStrict(part))
			say(where, row.Validate())
			rows++
			continue
		}
		panel := dashboard.Panel{}
		say(where, panel.UnmarshalJSONStrict(part))
		say(where, panel.Validate())
		if reflect.DeepEqual(panel, dashboard.Panel{}) {
			say(where, fmt.Errorf("nothing was read"))
		}
		panels++
	}
	if failed {
		os.Exit(1)
	}
	fmt.Printf("%d rows, %d panels\n", rows, panels)
}
