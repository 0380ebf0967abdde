module podwalk

go 1.26

require (
	github.com/syumai/workers v0.33.0
	github.com/xeipuuv/gojsonschema v1.2.0
	gopkg.in/yaml.v3 v3.0.1
	mvdan.cc/sh/v3 v3.14.1
)
