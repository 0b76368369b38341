// Replaces the package of this name, which listens for every signal that could end the process and sends it again, so that
// signals that Node ignores end the process. berth handles signals itself and always ends with process.exit(), so the `exit`
// event is enough.
'use strict';
function onExit(listener) {
  const call = (code) => listener(code, null);
  process.on('exit', call);
  return () => process.off('exit', call);
}
module.exports = Object.assign(onExit, { onExit });
