package cel

import (
	"math"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// costs counts what calls of library functions cost (apiserver/pkg/cel/library/cost.go).
type costs struct{}

// checkCost allows for two questions to the authorizer in one expression.
const checkCost = 350_000

// fixed are the functions that cost one.
var fixed = map[string]bool{"serviceAccount": true, "path": true, "group": true, "resource": true, "subresource": true, "namespace": true,
	"name": true, "allowed": true, "reason": true, "error": true, "errored": true, "masked": true, "prefixLength": true, "family": true,
	"isUnspecified": true, "isLoopback": true, "isLinkLocalMulticast": true, "isLinkLocalUnicast": true, "isGlobalUnicast": true,
	"format.named": true, "sign": true, "asInteger": true, "isInteger": true, "asApproximateFloat": true, "isGreaterThan": true,
	"isLessThan": true, "compareTo": true, "add": true, "sub": true, "major": true, "minor": true, "patch": true, "getScheme": true,
	"getHostname": true, "getHost": true, "getPort": true, "getEscapedPath": true, "getQuery": true}

// walked are the functions that walk a string, and how often.
var walked = map[string]float64{"url": 1, "lowerAscii": 1, "upperAscii": 1, "substring": 1, "trim": 1, "jsonpatch.escapeKey": 1,
	"replace": 2, "split": 2, "cidr": 1, "isIP": 1, "isCIDR": 1, "ip": 1, "ip.isCanonical": 2, "quantity": 1, "isQuantity": 1,
	"semver": 1, "isSemver": 1}

// CallCost implements interpreter.ActualCostEstimator; nil leaves it to cel-go.
func (costs) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	cost := uint64(1)
	switch {
	case fixed[function] || overload == "cidr_ip":
		return &cost
	case walked[function] > 0 && len(args) > 0:
		cost = walk(sizeOf(args[0]), walked[function])
		return &cost
	}
	switch function {
	case "check":
		cost = checkCost
	case "fieldSelector", "labelSelector":
		n := sizeOf(args[len(args)-1])
		cost = common.ListCreateBaseCost + walk(n, 1) + uint64(math.Ceil(math.Ceil(float64(n)*0.5)*float64(common.ListCreateBaseCost+common.StructCreateBaseCost)))
	case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes":
		cost = 0
		if len(args) > 0 {
			cost = traversal(args[0])
		}
	case "join":
		cost = walk(sizeOf(result), 2)
	case "find", "findAll":
		cost = walk(1+sizeOf(args[0]), 1) * uint64(math.Ceil(float64(sizeOf(args[1]))*common.RegexStringLengthCostFactor))
	case "containsIP", "containsCIDR":
		cost = contained(function, overload, args)
	case "validate":
		f, ok := args[0].(*opaque[*format])
		if !ok {
			return nil
		}
		cost = walk(1+sizeOf(args[1]), 1) * uint64(math.Ceil(float64(f.is.size)*common.RegexStringLengthCostFactor))
	case "_==_":
		if len(args) != 2 || !isOpaque(args[0]) {
			return nil
		}
	default:
		return nil
	}
	return &cost
}

func walk(size uint64, times float64) uint64 {
	return uint64(math.Ceil(float64(size) * times * common.StringTraversalCostFactor))
}

func contained(function, overload string, args []ref.Val) uint64 {
	if len(args) < 2 {
		return 1
	}
	size := sizeOf(args[0])
	cost := walk(size+size, 1)
	if function == "containsCIDR" {
		cost += walk(size, 1) + 1
	}
	if overload == "cidr_contains_ip_string" || overload == "cidr_contains_cidr_string" {
		cost += walk(sizeOf(args[1]), 1)
	}
	return cost
}

func sizeOf(v ref.Val) uint64 {
	if s, ok := v.(traits.Sizer); ok {
		if n, ok := s.Size().(types.Int); ok {
			return uint64(n)
		}
	}
	return 1
}

// isOpaque holds for the values that are compared at once.
func isOpaque(v ref.Val) bool {
	switch v.Type().TypeName() {
	case "net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.URL", "kubernetes.NamedFormat", "kubernetes.Semver",
		authorizerType.TypeName(), pathCheckType.TypeName(), groupCheckType.TypeName(), resourceCheckType.TypeName(), decisionType.TypeName():
		return true
	}
	return false
}

// traversal is what it costs to see all of a value.
func traversal(v ref.Val) (cost uint64) {
	switch x := v.(type) {
	case types.String:
		return uint64(float64(len(x)) * common.StringTraversalCostFactor)
	case types.Bytes:
		return uint64(float64(len(x)) * common.StringTraversalCostFactor)
	case traits.Lister:
		for it := x.Iterator(); it.HasNext() == types.True; {
			cost += traversal(it.Next())
		}
		return cost
	case traits.Mapper:
		for it := x.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			cost += traversal(k) + traversal(x.Get(k))
		}
		return cost
	}
	return 1
}
