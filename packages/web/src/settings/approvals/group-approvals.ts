import type { RememberedApproval, URI } from '@agenthost/protocol';

/** The approvals that apply in one place. */
export interface ApprovalGroup {
  readonly kind: 'session' | 'folder';
  readonly uri: URI;
  /** Latest first. */
  readonly approvals: readonly RememberedApproval[];
}

const placeOf = ({ scope }: RememberedApproval): Pick<ApprovalGroup, 'kind' | 'uri'> =>
  scope.kind === 'session' ? { kind: 'session', uri: scope.session } : { kind: 'folder', uri: scope.folder };

/** Groups approvals by the place where they apply: folders first, since they reach further; then the latest first. */
export function groupApprovals(approvals: readonly RememberedApproval[]): ApprovalGroup[] {
  const groups = new Map<string, ApprovalGroup & { readonly approvals: RememberedApproval[] }>();
  for (const approval of approvals.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))) {
    const place = placeOf(approval);
    const key = `${place.kind} ${place.uri}`;
    const group = groups.get(key) ?? { ...place, approvals: [] };
    group.approvals.push(approval);
    groups.set(key, group);
  }
  return Array.from(groups.values()).sort(
    (a, b) => Number(a.kind === 'session') - Number(b.kind === 'session'),
  );
}
