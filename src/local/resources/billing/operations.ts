import type { OperationId } from '../../contract/rows.ts';
import { operation, type Operation } from '../../frame/operation.ts';
import { rangeOf } from './buckets.ts';
import { chargesOf } from './charges.ts';
import { reportOf, REPORTS, type Report } from './reports.ts';

const reporting = (id: OperationId, report: Report): Operation =>
  operation(id, async (call) => ({
    status: 200,
    body: await call.transact((state, now) =>
      reportOf(
        report,
        chargesOf(state, now),
        rangeOf(call.query, now),
        report.by === undefined ? null : call.query.get(report.by.id),
      ),
    ),
  }));

/** Billing: what ran, by the clock (contract rules, Billing). */
export const billingOperations: readonly Operation[] = [
  reporting('listBilling', REPORTS.summary),
  reporting('listPodBilling', REPORTS.pods),
  reporting('listServerlessBilling', REPORTS.serverless),
  reporting('listEndpointBilling', REPORTS.endpoints),
  reporting('listNetworkVolumeBilling', REPORTS.volumes),
  reporting('listClusterBilling', REPORTS.clusters),
];
