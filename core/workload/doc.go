// Package workload says what a container does: image references and a catalogue
// of images as data, an in-memory file system, and Process, a machine that runs
// shell scripts, common tools and simulated servers in virtual time.
//
// A Process is data. It never blocks: Run executes what is due now and says when
// to call again. Clone makes an independent copy that goes on exactly as the
// original would. Everything outside the process is reached through World.
//
// The package starts nothing by itself, reads no clock and knows no cluster.
// Start reading at Start and Process.Run; a script is interpreted by shell, a
// tool by a function of type applet, an image's own program by server.
package workload
