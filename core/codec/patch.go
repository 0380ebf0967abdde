package codec

import "podwalk/core/api"

// PatchJSON applies a JSON patch (RFC 6902) to a generic value. The errors are
// those of evanphx/json-patch, which the server uses.
func PatchJSON(doc any, patch *Node) (any, error) { panic("not yet") }

// PatchMerge applies a JSON merge patch (RFC 7386) to a generic value.
func PatchMerge(doc, patch map[string]any) map[string]any { panic("not yet") }

// PatchStrategic applies a strategic merge patch; kind's struct tells how its
// lists merge (apimachinery/pkg/util/strategicpatch).
func PatchStrategic(doc, patch map[string]any, kind *api.Kind) (map[string]any, error) {
	panic("not yet")
}

// PatchThreeWay makes the strategic merge patch that client-side apply sends:
// what changes current into modified, with what original had and modified lacks
// deleted.
func PatchThreeWay(original, modified, current map[string]any, kind *api.Kind) (map[string]any, error) {
	panic("not yet")
}

// PatchThreeWayMerge makes a JSON merge patch in the same way, as kubectl does for
// kinds without a struct.
func PatchThreeWayMerge(original, modified, current map[string]any) (map[string]any, error) {
	panic("not yet")
}
