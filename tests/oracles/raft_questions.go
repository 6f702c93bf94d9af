// Questions to hashicorp/raft, read as a JSON list of [kind, {field: microseconds}] and answered as a JSON list of booleans.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"time"

	"github.com/hashicorp/raft"
)

func main() {
	var rows [][2]json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&rows); err != nil {
		panic(err)
	}
	answers := make([]bool, len(rows))
	for i, row := range rows {
		var v map[string]int64
		if err := json.Unmarshal(row[1], &v); err != nil {
			panic(err)
		}
		config := raft.DefaultConfig()
		config.LocalID = "oracle"
		for name, us := range v {
			reflect.ValueOf(config).Elem().FieldByName(name).SetInt(int64(time.Duration(us) * time.Microsecond))
		}
		answers[i] = raft.ValidateConfig(config) == nil
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
