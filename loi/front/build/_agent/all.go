package krdagent

const sampling = false
