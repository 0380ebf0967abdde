package workload

// Errno is an error of the simulated operating system; its text is strerror's.
type Errno int

// The errors that files and sockets give.
const (
	EPERM Errno = iota + 1
	ENOENT
	EACCES
	EEXIST
	ENOTDIR
	EISDIR
	EINVAL
	ENOSPC
	EROFS
	ENOTEMPTY
	ELOOP
	EBUSY
	EXDEV
	EADDRINUSE
	ECONNREFUSED
	ETIMEDOUT
	EHOSTUNREACH
	ENAMETOOLONG
	EFBIG
)

var errnoText = [...]string{
	EPERM:        "Operation not permitted",
	ENOENT:       "No such file or directory",
	EACCES:       "Permission denied",
	EEXIST:       "File exists",
	ENOTDIR:      "Not a directory",
	EISDIR:       "Is a directory",
	EINVAL:       "Invalid argument",
	ENOSPC:       "No space left on device",
	EROFS:        "Read-only file system",
	ENOTEMPTY:    "Directory not empty",
	ELOOP:        "Too many levels of symbolic links",
	EBUSY:        "Device or resource busy",
	EXDEV:        "Invalid cross-device link",
	EADDRINUSE:   "Address already in use",
	ECONNREFUSED: "Connection refused",
	ETIMEDOUT:    "Connection timed out",
	EHOSTUNREACH: "No route to host",
	ENAMETOOLONG: "File name too long",
	EFBIG:        "File too large",
}

// Error returns the text of strerror, such as "No such file or directory".
func (e Errno) Error() string { return errnoText[e] }

// errnoNumber gives the number that Linux has for the error.
func (e Errno) number() int {
	switch e {
	case EPERM:
		return 1
	case ENOENT:
		return 2
	case EACCES:
		return 13
	case EADDRINUSE:
		return 98
	case EROFS:
		return 30
	}
	return 22
}
