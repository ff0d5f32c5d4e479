package krdagent

const sampling = true
