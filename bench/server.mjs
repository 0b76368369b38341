/**
 * A server in a separate process that answers every request with the same JSON text, over http and https. Its first argument is
 * the file of the answer. The certificate is self-signed, so it is an authority of its own. Sends its addresses to its parent.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

const body = readFileSync(process.argv[2]);
const tls = (name) => readFileSync(new URL(`../test/support/tls/test-only-${name}.pem`, import.meta.url));

const answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength }).end(body);
};
const plain = createServer(answer).listen(0, '127.0.0.1');
const secure = createTlsServer({ key: tls('key'), cert: tls('certificate') }, answer).listen(0, '127.0.0.1');
await Promise.all([once(plain, 'listening'), once(secure, 'listening')]);
process.send({
  http: `http://127.0.0.1:${plain.address().port}`,
  https: `https://localhost:${secure.address().port}`,
});
process.on('disconnect', () => process.exit());
