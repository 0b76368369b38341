export interface DelegationRecord {
  id: string;
  name: string | null;
  account: string;
  region: string;
  repository: string;
  tag: string;
  createdAt: number;
}
