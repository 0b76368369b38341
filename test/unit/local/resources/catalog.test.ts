import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions } from '../../../../src/local/model/hardware.ts';
import { localFixture } from '../../../support/local/service-fixture.ts';

interface Place {
  readonly id: string;
  readonly availability: string;
}

const gpu = async (id: string, query: string) =>
  (await localFixture().send('GET', `/v2/catalog/gpus/${id}?${query}`)).body as {
    readonly availability?: string;
    readonly dataCenters?: readonly Place[];
    readonly cudaVersions?: readonly { version: string; available: boolean }[];
  };

describe('availability (contract rules, Catalog)', () => {
  it('is left out unless it is asked for', async () => {
    const plain = await gpu('GPU-80G', '');
    expect([plain.availability, plain.dataCenters, plain.cudaVersions]).toEqual([undefined, undefined, undefined]);
  });

  it.each<[string, string, string, string[]]>([
    ['GPU-80G', 'product=POD', 'HIGH', ['EU-NORTH-1', 'US-EAST-1', 'US-WEST-1']],
    ['GPU-80G', 'product=POD&count=8', 'MEDIUM', ['EU-NORTH-1', 'US-EAST-1']],
    ['GPU-80G', 'product=POD&count=9', 'NONE', []],
    ['GPU-80G', 'product=POD&countryCodes=US', 'HIGH', ['US-EAST-1', 'US-WEST-1']],
    ['GPU-80G', 'product=POD&countryCodes=US,SE', 'HIGH', ['EU-NORTH-1', 'US-EAST-1', 'US-WEST-1']],
    ['GPU-80G', 'product=POD&countryCodes=FR', 'NONE', []],
    ['GPU-16G', 'product=POD&cudaVersions=12.8', 'NONE', []],
    ['GPU-80G', 'product=POD&minCudaVersion=12.10', 'HIGH', ['EU-NORTH-1', 'US-EAST-1', 'US-WEST-1']],
    ['GPU-192G', 'product=POD&cloud=COMMUNITY', 'NONE', []],
    ['GPU-192G', 'product=SERVERLESS', 'MEDIUM', ['EU-WEST-1']],
    ['GPU-24G', 'product=CLUSTER&cloud=COMMUNITY', 'NONE', []],
  ])('%s %s', async (id, query, availability, places) => {
    const body = await gpu(id, `include=AVAILABILITY&${query}`);
    expect([body.availability, body.dataCenters?.map((place) => place.id)]).toEqual([availability, places.toSorted()]);
  });

  it('tells which CUDA versions suit', async () => {
    const { cudaVersions } = await gpu('GPU-80G', 'include=AVAILABILITY&product=POD&minCudaVersion=12.9');
    expect(cudaVersions?.filter(({ available }) => available).map(({ version }) => version)).toEqual(['12.9', '12.11']);
  });

  it('filters data centers by every filter given', async () => {
    const ids = async (query: string) => {
      const { dataCenters } = (await localFixture().send('GET', `/v2/catalog/datacenters?${query}`)).body as {
        dataCenters: Place[];
      };
      return dataCenters.map(({ id }) => id);
    };
    expect(await ids('regions=EUROPE')).toEqual(['EU-NORTH-1', 'EU-WEST-1']);
    expect(await ids('networkVolumeTypes=HIGH_PERFORMANCE')).toEqual(['EU-NORTH-1', 'US-EAST-1']);
    expect(await ids('regions=ASIA,NORTH_AMERICA')).toEqual(['US-EAST-1', 'US-WEST-1', 'ASIA-1']);
    expect(await ids('compliance=GDPR,RENEWABLE&globalNetwork=true')).toEqual(['EU-NORTH-1']);
    expect(await ids('compliance=GDPR,HIPAA')).toEqual([]);
    expect(await ids('networkVolumeTypes=STANDARD,HIGH_PERFORMANCE')).toEqual(['EU-NORTH-1', 'US-EAST-1']);
    expect(await ids('globalNetwork=false')).toEqual(['US-WEST-1', 'ASIA-1']);
  });
});

it('orders versions by their numbers', () => {
  const version = fc.tuple(fc.nat(40), fc.nat(40));
  fc.assert(
    fc.property(version, version, ([a, b], [c, d]) => {
      const order = Math.sign(compareVersions(`${String(a)}.${String(b)}`, `${String(c)}.${String(d)}`));
      expect(order).toBe(Math.sign(a * 100 + b - (c * 100 + d)));
    }),
  );
});
