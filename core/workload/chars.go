package workload

func only(s string, ok func(byte) bool) bool {
	for i := 0; i < len(s); i++ {
		if !ok(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool      { return c >= '0' && c <= '9' }
func isLower(c byte) bool      { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool      { return c >= 'A' && c <= 'Z' }
func isAlpha(c byte) bool      { return isLower(c) || isUpper(c) }
func isAlnum(c byte) bool      { return isAlpha(c) || isDigit(c) }
func isLowerAlnum(c byte) bool { return isLower(c) || isDigit(c) }
func isLowerHex(c byte) bool   { return isDigit(c) || c >= 'a' && c <= 'f' }
func isHex(c byte) bool        { return isLowerHex(c) || c >= 'A' && c <= 'F' }
func isWordByte(c byte) bool   { return isAlnum(c) || c == '_' }
func isSpace(c byte) bool      { return c == ' ' || c >= '\t' && c <= '\r' }
func isPrint(c byte) bool      { return c >= ' ' && c < 0x7f }

func isPunct(c byte) bool { return c > ' ' && c < 0x7f && !isAlnum(c) }

// isName reports whether s can be the name of a shell variable.
func isName(s string) bool {
	return s != "" && !isDigit(s[0]) && only(s, isWordByte)
}
