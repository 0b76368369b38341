import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { bodyOf } from '../../../../src/cli/resource/field-writes.ts';
import * as checks from '../../../../src/commands/pods/body-checks.ts';
import { POD_TABLE } from '../../../../src/commands/pods/fields.ts';
import type { Json, JsonObject } from '../../../../src/core/json.ts';
import { Failure } from '../../../../src/core/failure.ts';

/** The checks of a create: of the whole body, then of its fields. */
function checkCreate(body: JsonObject): void {
  checks.checkCreate(body);
  bodyOf(POD_TABLE, 'create').checkFields?.(body);
}

/** The checks of an update: of its fields, then of the whole body, which may read the pod. */
async function checkUpdate(body: JsonObject, pod: (() => Promise<Json>) | undefined): Promise<void> {
  bodyOf(POD_TABLE, 'update').checkFields?.(body);
  await checks.checkUpdate(body, pod);
}

const gpu = { id: 'GPU' };
const network = { network: [{ volumeId: 'v1', path: '/data' }] };
const persistent = { persistent: { size: 20, path: '/data' } };

/** The message of the refusal; undefined where the body may be sent. */
function refusal(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    expect(error).toMatchObject({ exit: 2 });
    return (error as Failure).message;
  }
}

describe('the checks before a create', () => {
  test.each<[string, JsonObject]>([
    ['a GPU alone', { gpu }],
    ['several GPUs', { gpu: { ...gpu, count: 8 } }],
    ['a CPU with a power of two', { cpu: { id: 'C', vcpuCount: 2 } }],
    ['a disk of 1', { gpu, disk: 1 }],
    ['a persistent mount of 10', { gpu, mounts: { persistent: { size: 10, path: '/x' } } }],
    ['a network mount, on a CPU pod too', { cpu: { id: 'C', vcpuCount: 4 }, mounts: network }],
    ['no mounts', { gpu, mounts: {} }],
    ['a value of another type, which is left to the service', { gpu, disk: 'large' }],
    [
      'an empty list of CUDA versions and a minimum version',
      { gpu: { ...gpu, allowedCudaVersions: [], minCudaVersion: '12.4' } },
    ],
  ])('accept %s', (_, body) => {
    expect(
      refusal(() => {
        checkCreate(body);
      }),
    ).toBeUndefined();
  });

  test.each<[string, JsonObject, RegExp]>([
    ['both gpu and cpu', { gpu, cpu: { id: 'C', vcpuCount: 2 } }, /--gpu and --cpu/],
    ['neither', {}, /--gpu or --cpu/],
    ['a volume on the COMMUNITY cloud', { gpu, cloud: 'COMMUNITY', mounts: network }, /SECURE cloud only/],
    ['a count without a GPU', { gpu: { count: 2 } }, /--gpu-count.* need --gpu/],
    ['no GPU', { gpu: { ...gpu, count: 0 } }, /--gpu-count.* at least 1/],
    ['half a GPU', { gpu: { ...gpu, count: 1.5 } }, /--gpu-count.* whole number/],
    ['a CPU without a count', { cpu: { id: 'C' } }, /--cpu needs --vcpu/],
    ['a count without a CPU', { cpu: { vcpuCount: 4 } }, /--vcpu needs --cpu/],
    ['one vCPU', { cpu: { id: 'C', vcpuCount: 1 } }, /--vcpu is a power of two, at least 2/],
    ['three vCPUs', { cpu: { id: 'C', vcpuCount: 3 } }, /--vcpu.*; 3 is not/],
    ['no disk', { gpu, disk: 0 }, /--disk.* at least 1 GB; 0 is not/],
    [
      'a small persistent mount',
      { gpu, mounts: { persistent: { size: 9, path: '/x' } } },
      /--persistent-size.* at least 10 GB; 9/,
    ],
    ['a persistent mount without a path', { gpu, mounts: { persistent: { size: 10 } } }, /both a size and a path/],
    [
      'a persistent mount on a CPU pod',
      { cpu: { id: 'C', vcpuCount: 2 }, mounts: persistent },
      /--persistent-size: a CPU pod/,
    ],
    ['both kinds of mount', { gpu, mounts: { ...network, ...persistent } }, /--network-volume and --persistent-size/],
    [
      'two volumes',
      { gpu, mounts: { network: [...network.network, ...network.network] } },
      /--network-volume: .* at most one/,
    ],
    ['a volume without a path', { gpu, mounts: { network: [{ volumeId: 'v' }] } }, /both a volume and a path/],
    [
      'CUDA versions and a minimum version',
      { gpu: { ...gpu, allowedCudaVersions: ['12.4'], minCudaVersion: '12.4' } },
      /--cuda and --min-cuda/,
    ],
  ])('refuse %s', (_, body, says) => {
    expect(
      refusal(() => {
        checkCreate(body);
      }),
    ).toMatch(says);
  });

  it('accept as vCPUs exactly the powers of two from 2', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.integer(),
          fc.nat(10).map((power) => 2 ** power),
        ),
        (count) => {
          const isPower = count >= 2 && Number.isSafeInteger(count) && (BigInt(count) & (BigInt(count) - 1n)) === 0n;
          return (
            (refusal(() => {
              checkCreate({ cpu: { id: 'C', vcpuCount: count } });
            }) ===
              undefined) ===
            isPower
          );
        },
      ),
    );
  });

  it('throw a usage failure (2) or nothing for any body', () => {
    const value = fc.jsonValue() as fc.Arbitrary<Json>;
    const body = fc.record({ gpu: value, cpu: value, disk: value, mounts: value }, { requiredKeys: [] });
    fc.assert(
      fc.property(body, (given) => {
        refusal(() => {
          checkCreate(given);
        });
      }),
    );
  });
});

/** The table of specification 2.3: the mounts of a PATCH, for each kind of pod. */
describe('the mounts of an update, compared with the pod', () => {
  const PODS: Readonly<Record<string, JsonObject>> = {
    'a pod with a network mount': { mounts: network },
    'a pod with a persistent mount': { mounts: persistent },
    'a pod without mounts': { mounts: {} },
    'a pod whose answer has no mounts': {},
  };
  const [withNetwork, withPersistent, , unsaid] = Object.keys(PODS);
  const all = Object.keys(PODS);
  const moved = { network: [{ volumeId: 'v1', path: '/elsewhere' }] };
  const grown = { persistent: { size: 30, path: '/elsewhere' } };

  const rows: readonly (readonly [string, Json | undefined, readonly (string | undefined)[], RegExp])[] = [
    ['mounts omitted', undefined, all, /^$/],
    ['an empty object', {}, all, /^$/],
    ['an empty list', { network: [] }, [], /cannot be cleared/],
    ['another path of the volume', moved, [withNetwork, unsaid], /kind is fixed at creation/],
    ['another volume', { network: [{ volumeId: 'v2', path: '/data' }] }, [unsaid], /fixed at creation/],
    ['another size and path', grown, [withPersistent, unsaid], /kind is fixed at creation/],
    ['a persistent mount too small', { persistent: { size: 9, path: '/x' } }, [], /at least 10 GB/],
    ['a persistent mount without a path', { persistent: { size: 20 } }, [], /both a size and a path/],
    ['a network mount without a volume', { network: [{ path: '/x' }] }, [], /both a volume and a path/],
    ['both kinds', { ...moved, ...grown }, [], /at most one mount/],
  ];
  const cases = rows.flatMap(([what, mounts, taken, says]) =>
    all.map((pod) => [what, pod, mounts, taken.includes(pod), says] as const),
  );

  test.each(cases)('%s, on %s', async (_what, pod, mounts, taken, says) => {
    const body: JsonObject = mounts === undefined ? { name: 'x' } : { mounts };
    const checked = checkUpdate(body, async () => PODS[pod] ?? null);
    if (taken) await expect(checked).resolves.toBeUndefined();
    else await expect(checked).rejects.toMatchObject({ exit: 2, message: expect.stringMatching(says) as string });
  });

  it('the pod is read only where a mount changes', async () => {
    const look = async (): Promise<Json> => {
      throw new Error('looked');
    };
    await checkUpdate({ name: 'x', disk: 5, mounts: {} }, look);
    await expect(checkUpdate({ mounts: moved }, look)).rejects.toThrow('looked');
  });

  it('in a dry run, the mount is not compared with the pod', async () => {
    await expect(checkUpdate({ mounts: grown }, undefined)).resolves.toBeUndefined();
  });
});
