import type { Case } from './case.ts';
import { BILLING_CASES } from './billing.ts';
import { CATALOG_CASES } from './catalog.ts';
import { CLUSTER_CASES } from './clusters.ts';
import { ENDPOINT_CASES } from './endpoints.ts';
import { NOVEMBER_CASES } from './november.ts';
import { POD_CASES } from './pods.ts';
import { REGISTRY_CASES } from './registries.ts';
import { SECRET_CASES } from './secrets.ts';
import { SSH_KEY_CASES } from './ssh-keys.ts';
import { TEMPLATE_CASES } from './templates.ts';
import { VOLUME_CASES } from './volumes.ts';

/** A request for every operation of the contract and each of its possible statuses. */
export const CASES: readonly Case[] = [
  ...BILLING_CASES,
  ...CATALOG_CASES,
  ...CLUSTER_CASES,
  ...ENDPOINT_CASES,
  ...NOVEMBER_CASES,
  ...POD_CASES,
  ...REGISTRY_CASES,
  ...SECRET_CASES,
  ...SSH_KEY_CASES,
  ...TEMPLATE_CASES,
  ...VOLUME_CASES,
];
