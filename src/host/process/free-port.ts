import { createServer } from 'node:net';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { errorCode, errorReason } from '../../core/files/file-errors.ts';
import { boundAddress } from '../../core/addresses/bound-address.ts';

/** See `Spawn.freePort`. */
export function freePort(address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      reject(failureOf(error, address, port));
    });
    server.listen({ host: address === '*' ? undefined : address, port, exclusive: true }, () => {
      const { port: found } = boundAddress(server);
      server.close(() => {
        resolve(found);
      });
    });
  });
}

function failureOf(error: Error, address: string, port: number): Failure {
  const code = errorCode(error);
  if (code !== 'EADDRINUSE' && code !== 'EACCES')
    return usage(`cannot listen at ${JSON.stringify(address)}: ${errorReason(error)}`);
  return new Failure({
    code: 'port-in-use',
    exit: EXIT.localFile,
    message: `port ${String(port)} of this machine is ${code === 'EACCES' ? 'not allowed' : 'in use'}`,
    hint: `Choose another one; 0 takes a free one.`,
  });
}
