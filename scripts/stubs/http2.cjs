// Replaces node:http2 inside the HTTP client, which loads it at start and needs it only for HTTP/2 connections. berth uses
// HTTP/1.1. The client uses the same constants when node:http2 cannot be loaded.
'use strict';
module.exports = { constants: {} };
