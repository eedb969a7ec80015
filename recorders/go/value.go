package omnilink

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"sort"
	"strings"
	"time"
	"unicode/utf8"
)

// ModelValue is a TLA+ model value: equal to itself, and to nothing else.
type ModelValue string

// Set is a set of values.
type Set []any

// The reader refuses what is nested deeper. A value that contains itself is.
const depthMax = 90

// A value as the trace format has it.
func encoded(value any) (string, error) {
	var text strings.Builder
	err := encode(&text, reflect.ValueOf(value), 0)
	return text.String(), err
}

// A value that shares parts with itself can be as long as memory allows.
const lengthMax = 1 << 24

func encode(text *strings.Builder, value reflect.Value, depth int) error {
	if text.Len() > lengthMax {
		return fmt.Errorf("a value is longer than %d characters; record what tells values apart", lengthMax)
	}
	if depth > depthMax {
		return fmt.Errorf("a value is nested more than %d deep; does it contain itself?", depthMax)
	}
	if !value.IsValid() {
		text.WriteString("null")
		return nil
	}
	if value.Kind() == reflect.Pointer && value.IsNil() {
		text.WriteString("null")
		return nil
	}
	switch known := value.Interface().(type) {
	case *big.Int:
		text.WriteString(known.String())
		return nil
	case big.Int:
		text.WriteString(known.String())
		return nil
	case time.Time:
		writeString(text, known.Format(time.RFC3339Nano))
		return nil
	case error:
		// What an error says is what it can be compared by.
		writeString(text, known.Error())
		return nil
	case ModelValue:
		text.WriteString(`{"$model":`)
		writeString(text, string(known))
		text.WriteString("}")
		return nil
	case Set:
		text.WriteString(`{"$set":`)
		err := encodeList(text, reflect.ValueOf([]any(known)), depth)
		text.WriteString("}")
		return err
	}
	switch value.Kind() {
	case reflect.Bool:
		fmt.Fprint(text, value.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		fmt.Fprint(text, value.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		fmt.Fprint(text, value.Uint())
	case reflect.Float32, reflect.Float64:
		number := value.Float()
		if math.IsNaN(number) || math.IsInf(number, 0) {
			return fmt.Errorf("%v cannot be recorded: JSON has no such number; pass a string", number)
		}
		fmt.Fprint(text, number)
	case reflect.String:
		writeString(text, value.String())
	case reflect.Pointer, reflect.Interface:
		if value.IsNil() {
			text.WriteString("null")
			return nil
		}
		if value.Kind() == reflect.Pointer {
			// It may point to itself.
			depth++
		}
		return encode(text, value.Elem(), depth)
	case reflect.Slice, reflect.Array:
		return encodeList(text, value, depth)
	case reflect.Map:
		return encodeMap(text, value, depth)
	case reflect.Struct:
		return encodeStruct(text, value, depth)
	default:
		return fmt.Errorf("a %s cannot be recorded; pass a number, a string, a slice, a map, a struct, a Set or a ModelValue", value.Type())
	}
	return nil
}

func encodeList(text *strings.Builder, list reflect.Value, depth int) error {
	text.WriteByte('[')
	for at := 0; at < list.Len(); at++ {
		if at > 0 {
			text.WriteByte(',')
		}
		if err := encode(text, list.Index(at), depth+1); err != nil {
			return err
		}
	}
	text.WriteByte(']')
	return nil
}

// A record if all keys are strings, else a function. A key with a dollar would be read as one of the other values.
func encodeMap(text *strings.Builder, value reflect.Value, depth int) error {
	type entry struct{ key, value string }
	var entries []entry
	isRecord := true
	for _, key := range value.MapKeys() {
		var name, inner strings.Builder
		if err := encode(&name, key, depth+1); err != nil {
			return err
		}
		if err := encode(&inner, value.MapIndex(key), depth+1); err != nil {
			return err
		}
		for key.Kind() == reflect.Interface {
			key = key.Elem()
		}
		isRecord = isRecord && key.Kind() == reflect.String && !strings.HasPrefix(key.String(), "$")
		entries = append(entries, entry{name.String(), inner.String()})
	}
	sort.Slice(entries, func(a, b int) bool { return entries[a].key < entries[b].key })
	if !isRecord {
		text.WriteString(`{"$fn":[`)
	} else {
		text.WriteByte('{')
	}
	for at, one := range entries {
		if at > 0 {
			text.WriteByte(',')
		}
		if isRecord {
			fmt.Fprintf(text, "%s:%s", one.key, one.value)
		} else {
			fmt.Fprintf(text, "[%s,%s]", one.key, one.value)
		}
	}
	if !isRecord {
		text.WriteByte(']')
	}
	text.WriteByte('}')
	return nil
}

// The exported fields, by their names in lower case or by their json tags.
func encodeStruct(text *strings.Builder, value reflect.Value, depth int) error {
	text.WriteByte('{')
	separator := ""
	hidden := 0
	for at := 0; at < value.NumField(); at++ {
		field := value.Type().Field(at)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" {
			hidden++
			continue
		}
		if name == "" {
			name = strings.ToLower(field.Name[:1]) + field.Name[1:]
		}
		text.WriteString(separator)
		writeString(text, name)
		text.WriteByte(':')
		if err := encode(text, value.Field(at), depth+1); err != nil {
			return err
		}
		separator = ","
	}
	if separator == "" && hidden > 0 {
		return fmt.Errorf("a %s cannot be recorded: none of its fields is exported", value.Type())
	}
	text.WriteByte('}')
	return nil
}

// A trace holds Unicode. Of a text that is not, a wrong byte is written \xff, so that two texts that differ do not look alike; for the same
// reason a backslash that begins what looks like such an escape is written \x5c. All recorders do the same.
func lossless(text string) string {
	if utf8.ValidString(text) && !strings.Contains(text, `\`) {
		return text
	}
	var escaped strings.Builder
	for at := 0; at < len(text); {
		one, size := utf8.DecodeRuneInString(text[at:])
		if one == utf8.RuneError && size == 1 || one == '\\' && isEscape(text[at+1:]) {
			fmt.Fprintf(&escaped, `\x%02x`, text[at])
		} else {
			escaped.WriteString(text[at : at+size])
		}
		at += size
	}
	return escaped.String()
}

// Whether an escape follows a backslash.
func isEscape(rest string) bool {
	areDigits := func(from, to int) bool {
		return len(rest) >= to && strings.Trim(rest[from:to], "0123456789abcdef") == ""
	}
	return strings.HasPrefix(rest, "x") && areDigits(1, 3) || strings.HasPrefix(rest, "ud") && areDigits(2, 5)
}

func writeString(text *strings.Builder, one string) {
	quoted, err := json.Marshal(lossless(one))
	if err != nil {
		quoted = []byte(`""`)
	}
	text.Write(quoted)
}
