interface Bound {
  readonly port: number;
  readonly address: string;
  readonly family: string;
}

/** Where a server listens. Fails with an Error for a server that has no port: one that is closed, or listens on a path. */
export function boundAddress(server: { address(): Bound | string | null }): Bound {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address;
}
