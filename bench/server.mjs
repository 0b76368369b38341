/** A server in a separate process that answers every request with the same pod. Sends its address to its parent. */
import { createServer } from 'node:http';
import { samplePod } from './sample-pod.mjs';

const body = JSON.stringify(samplePod);
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
});
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
process.on('disconnect', () => process.exit());
