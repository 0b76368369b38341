import { describe, expect, test } from 'vitest';
import { works } from '../../../support/worlds/expect-run.ts';
import { json } from '../../../support/servers/scripted-server.ts';

// RUNNING is not reachable (additions to the contract, 6).

const SSH = { proxy: { host: 'proxy.test', port: 22, username: 'p1', command: 'ssh p1@proxy.test' } };
const DIRECT = { host: '203.0.113.7', port: 10022, username: 'root', command: 'ssh root@203.0.113.7 -p 10022' };
const PORT_22 = { private: 22, public: 10022, type: 'tcp', ip: '203.0.113.7' };
const PORT_80 = { private: 80, public: 8080, type: 'http', ip: '100.64.1.9' };

const pod = (more: object): object => ({
  id: 'p1',
  name: 'lab',
  status: 'RUNNING',
  ports: ['22/tcp', '80/http'],
  ...more,
});
const NO_METRICS = pod({ runtime: null, ssh: { ...SSH, direct: null } });
const NO_PORTS = pod({ runtime: { ports: [] }, ssh: { ...SSH, direct: null } });
const NO_SSH = pod({ runtime: { ports: [PORT_22, PORT_80] }, ssh: { ...SSH, direct: null } });
const THERE = pod({ runtime: { ports: [PORT_22, PORT_80] }, ssh: { ...SSH, direct: DIRECT } });

describe('a wait', () => {
  test.each([
    ['pods wait p1', [NO_METRICS, NO_PORTS, NO_SSH, THERE]],
    ['pods wait p1 --for reachable', [NO_METRICS, THERE]],
    ['pods wait p1 --for running', [NO_METRICS]],
    ['pods start p1 --wait', [pod({ status: 'STARTING' }), pod({ status: 'STARTING' }), NO_METRICS, THERE]],
    ['pods restart p1 --wait', [NO_METRICS, NO_SSH, THERE]],
    [
      'pods create --name lab --image i --cpu c --vcpu 2 --wait',
      [NO_METRICS, pod({ status: 'PROVISIONING' }), NO_PORTS, THERE],
    ],
  ])('berth %s ends when the ports and SSH of the pod are there', async (line, answers) => {
    const { server } = await works(
      line.split(' '),
      answers.map((each) => json(each)),
    );
    expect(server.seen).toHaveLength(answers.length);
  });

  test.each<[string, object, end?: string]>([
    ['has no ports and takes no SSH', pod({ ports: [], runtime: null, ssh: null }), 'RUNNING'],
    ['is of an older service, without runtime and ssh', pod({})],
    ['publishes http alone', pod({ ports: ['80/http'], runtime: { ports: [PORT_80] } })],
    ['has a port for SSH of its own', pod({ runtime: { ports: [PORT_22] }, ssh: { proxy: null, direct: null } })],
  ])('for a pod that %s ends with RUNNING', async (_, document, end = 'reachable') => {
    const { server, err } = await works(['pods', 'wait', 'p1'], [json(document)]);
    expect([server.seen.length, err]).toEqual([1, `pod lab is ${end}\n`]);
  });
});

describe('the private address of a port', () => {
  const HIDDEN = pod({
    runtime: { ports: [PORT_80, { ...PORT_22, ip: '100.127.255.1' }] },
    ssh: { ...SSH, direct: { ...DIRECT, host: '100.99.1.2', command: 'ssh root@100.99.1.2 -p 10022' } },
  });

  test.each(['pods get p1', 'pods wait p1 --for running', 'pods explain p1', 'pods ssh p1 --print', 'pods start p1'])(
    'is not shown as public by berth %s',
    async (line) => {
      const { out, err } = await works(line.split(' '), [json(HIDDEN)]);
      expect(out + err).not.toMatch(/\b100\.\d/);
      if (line.endsWith('--print')) expect(out).toBe('ssh -p 22 p1@proxy.test\n');
    },
  );
});

test('a pod that runs and cannot be reached yet is explained as that', async () => {
  const document = pod({ runtime: null, ssh: { proxy: null, direct: null } });
  const explained = await works(['pods', 'explain', 'p1'], [json(document)]);
  expect(explained.out).toContain('starting: running, ports not reachable yet');
  expect(explained.out).toContain('berth pods wait p1');
});
