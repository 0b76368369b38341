import { REPORTS, type Report } from '../../contract/schemas/billing.ts';
import type { OperationId } from '../../contract/rows.ts';
import { operation, reply, type Operation } from '../../http/call/operation.ts';
import { rangeOf } from './buckets.ts';
import { chargesOf } from './charges.ts';
import { reportOf } from './reports.ts';

const reporting = (id: OperationId, report: Report): Operation =>
  operation(
    id,
    reply(200, (state, { query }, now) => {
      const only = report.by === undefined ? null : query.get(report.by.id);
      return reportOf(report, chargesOf(state, now), rangeOf(query, now), only);
    }),
  );

/** Billing: what ran, by the clock (contract rules, Billing). */
export const billingOperations: readonly Operation[] = [
  reporting('listBilling', REPORTS.summary),
  reporting('listPodBilling', REPORTS.pods),
  reporting('listServerlessBilling', REPORTS.serverless),
  reporting('listEndpointBilling', REPORTS.endpoints),
  reporting('listNetworkVolumeBilling', REPORTS.volumes),
  reporting('listClusterBilling', REPORTS.clusters),
];
