package api

import "reflect"

// DeepCopy returns a copy of o that shares nothing with it. It walks by
// reflection; where time matters, Copy and replace what changes.
func DeepCopy[T Object](o T) T {
	return deep(reflect.ValueOf(o)).Interface().(T)
}

func deep(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		c := reflect.New(v.Type().Elem())
		c.Elem().Set(deep(v.Elem()))
		return c
	case reflect.Struct:
		return deepStruct(v)
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(deep(v.Index(i)))
		}
		return c
	case reflect.Map:
		return deepMap(v)
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		return deep(v.Elem())
	}
	return v
}

func deepStruct(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	for i := range v.NumField() {
		if f := c.Field(i); f.CanSet() {
			f.Set(deep(v.Field(i)))
		}
	}
	return c
}

func deepMap(v reflect.Value) reflect.Value {
	if v.IsNil() {
		return v
	}
	c := reflect.MakeMapWithSize(v.Type(), v.Len())
	for it := v.MapRange(); it.Next(); {
		c.SetMapIndex(it.Key(), deep(it.Value()))
	}
	return c
}
