#!/usr/bin/env node
// For those who start this file, as installations before 1.2 did. What it starts is in JavaScript and saves memory.
import './catalog.mjs'
