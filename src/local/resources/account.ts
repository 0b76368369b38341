import type { Json } from '../../core/json.ts';
import { badRequest, conflict, unprocessable } from '../contract/problem.ts';
import { type Operation, steps } from '../http/operation.ts';
import { endpoints } from '../model/endpoints.ts';
import { pods } from '../model/pods.ts';
import { removeSecret, secretNamed, type SecretRecord, secrets, setSecretValue, sshKeys } from '../model/records.ts';
import { hourlyCost } from './pods/document.ts';
import { nextId } from '../state/state.ts';

const sum = (numbers: readonly number[]): number => Number(numbers.reduce((total, each) => total + each, 0).toFixed(4));

/** The account (additions of November, 18), and its SSH keys: a PUT replaces all of them, `[]` removes them. */
export const accountOperations: readonly Operation[] = steps({
  getAccount: () => ({ id: 'user-local', email: 'someone@example.com' }),
  /** USD an hour over all pods that run, and the sum of `workers.max`: neither is enforced. */
  getAccountLimits: (state, _call, now) => ({
    spendRate: { limit: 80, current: sum(pods.all(state).map((pod) => hourlyCost(pod, now))) },
    serverlessWorkers: {
      limit: 100,
      current: sum(endpoints.all(state).map(({ hidden, workers }) => (hidden === true ? 0 : workers.max))),
    },
  }),
  getAccountBalance: () => ({ balanceAmount: 25, billingMode: 'PREPAID' }),
  getSshKeys: (state) => ({ keys: sshKeys.of(state) }),
  updateSshKeys: (state, call) => {
    const { keys } = call.body as { keys: readonly string[] };
    sshKeys.replace(state, keys);
    return { keys };
  },
});

type SecretBody = Partial<Record<'value' | 'description', string>>;

/** In bytes of UTF-8; the schema bounds its characters. A value must be shorter. */
const MAX_SECRET_VALUE = 16_777_216;
const MAX_DESCRIPTION = 65_535;

const documentOf = ({ id, name, description, createdAt, valueChangedAt }: SecretRecord): Json => ({
  id,
  name,
  description,
  createdAt: new Date(createdAt).toISOString(),
  valueLastUpdatedAt: valueChangedAt === null ? null : new Date(valueChangedAt).toISOString(),
});

/** Throws the 422 Problem for what the schema cannot bound: the sizes in bytes. No text of the body is in its detail. */
function checkSizes({ value = '', description = '' }: SecretBody): void {
  if (Buffer.byteLength(value) >= MAX_SECRET_VALUE)
    throw unprocessable([`/value: must be shorter than ${String(MAX_SECRET_VALUE)} bytes`]);
  if (Buffer.byteLength(description) > MAX_DESCRIPTION)
    throw unprocessable([`/description: must NOT have more than ${String(MAX_DESCRIPTION)} bytes`]);
}

/** Secrets (additions 7). Their values are never read back. */
export const secretOperations: readonly Operation[] = steps({
  listSecrets: (state, { query }) => {
    const name = query.get('name');
    const found = name === null ? secrets.all(state) : [secretNamed(state, name) ?? []].flat();
    return { secrets: found.map(documentOf) };
  },
  createSecret: (state, call, now) => {
    const body = call.body as SecretBody & { readonly name: string; readonly value: string };
    checkSizes(body);
    const { secretPrefix } = call.settings;
    if (body.name.toLowerCase().startsWith(secretPrefix.toLowerCase()))
      throw badRequest(`the name of a secret cannot begin with ${secretPrefix}`);
    if (secretNamed(state, body.name) !== undefined) throw conflict(`there is a secret ${body.name} already`);
    const { name, value, description = '' } = body;
    const id = nextId(state, 'sec');
    const record = { id, name, description: description || null, createdAt: now, valueChangedAt: null };
    const secret = secrets.put(state, record);
    setSecretValue(state, secret, value);
    return documentOf(secret);
  },
  getSecret: (state, { params }) => documentOf(secrets.find(state, params['id'])),
  updateSecret: (state, call, now) => {
    const secret = secrets.find(state, call.params['id']);
    const body = call.body as SecretBody;
    checkSizes(body);
    if (body.value !== undefined) {
      setSecretValue(state, secret, body.value);
      secret.valueChangedAt = now;
    }
    if (body.description !== undefined) secret.description = body.description || null;
    return documentOf(secret);
  },
  deleteSecret: (state, { params }) => {
    removeSecret(state, secrets.find(state, params['id']));
  },
});
