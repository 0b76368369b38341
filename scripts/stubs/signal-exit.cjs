// Stands in for the package of this name. That one listens for every signal that could end the process and sends it to
// the process again, which turns signals that Node ignores into deaths. berth hears signals itself and always ends by
// process.exit(), so the event of that is enough.
'use strict';
function onExit(listener) {
  const call = (code) => listener(code, null);
  process.on('exit', call);
  return () => process.off('exit', call);
}
module.exports = Object.assign(onExit, { onExit });
