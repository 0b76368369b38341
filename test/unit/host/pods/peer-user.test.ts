import { expect, test } from 'vitest';
import { userOfConnection } from '../../../../src/host/pods/ssh-server.ts';

/** As Linux writes /proc/net/tcp: both ends of a connection from port 40000 to port 50000, and others. */
const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:C350 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 100 1 0 100 0 0 10 0
   1: 0100007F:9C40 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1001        0 101 1 0 20 4 30 10 -1
   2: 0100007F:C350 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 102 1 0 20 4 30 10 -1
   3: 0100007F:9C41 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1002        0 103 1 0 20 4 30 10 -1
`;

test('the user of a connection is that of its other end, whatever else is connected', () => {
  expect(userOfConnection(TABLE, 40_000, 50_000)).toEqual([1001]);
  expect(userOfConnection(TABLE, 40_001, 50_000)).toEqual([1002]);
  expect(userOfConnection(TABLE, 40_002, 50_000)).toEqual([]);
});
