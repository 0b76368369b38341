// Replaces the parts of the HTTP client that berth does not use: HTTP/2, and bodies that are a form or a stream of the web.
'use strict';
module.exports = function unused() {
  throw new Error('this part of the HTTP client is not bundled');
};
module.exports.extractBody = module.exports;
