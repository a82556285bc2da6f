// Package usage tells what this process has used of the machine: processor time and
// memory. Where an operating system does not tell, the answer says so.
package usage
