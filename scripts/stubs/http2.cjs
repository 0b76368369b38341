// Stands in for node:http2 inside the HTTP client, which loads it at once and needs it only for HTTP/2 connections.
// berth speaks HTTP/1.1. The client itself falls back to these very constants where node:http2 cannot be loaded.
'use strict';
module.exports = { constants: {} };
