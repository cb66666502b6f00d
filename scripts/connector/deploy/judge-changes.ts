import { holdsState, isSecret } from './stack-policy.ts';

/** One resource of a change set, in CloudFormation's own values. */
export interface ResourceChange {
  readonly id: string;
  readonly type: string;
  readonly action: 'Add' | 'Modify' | 'Remove' | 'Import' | 'Dynamic' | 'SyncWithActual';
  /** Of a modification; `Conditional`: known only while it is carried out. */
  readonly replacement?: 'True' | 'False' | 'Conditional' | undefined;
  /** What becomes of the old resource. */
  readonly policyAction?: string | undefined;
}

export interface Judgement {
  /** Sentences about what is replaced or leaves the stack. */
  readonly lines: readonly string[];
  /** Logical ids of what holds state and would be lost to the connector. */
  readonly losses: readonly string[];
}

/** What a prepared change set would replace or delete. */
export function judgeChanges(changes: readonly ResourceChange[]): Judgement {
  const leaving = changes.filter(({ action, replacement }) => {
    return action === 'Remove' || action === 'Dynamic' || (replacement ?? 'False') !== 'False';
  });
  return {
    lines: leaving.map(describe),
    losses: leaving.filter(isLoss).map(({ id }) => id),
  };
}

const isKept = ({ policyAction }: ResourceChange): boolean =>
  policyAction === 'Retain' || policyAction === 'ReplaceAndRetain';

/** A secret that leaves the stack keeps its name and its value; a table or queue would stand idle. */
function isLoss(change: ResourceChange): boolean {
  if (!holdsState(change.type)) return false;
  return !(isSecret(change.type) && change.action === 'Remove' && isKept(change));
}

function describe(change: ResourceChange): string {
  const { id, type, action, replacement } = change;
  const after = isKept(change) ? '; the old one is kept, out of the stack' : '';
  const holds = isLoss(change) ? ' HOLDS STATE' : '';
  const what =
    action === 'Remove'
      ? `${isKept(change) ? 'leaves the stack and is kept' : 'is DELETED'}`
      : `${replacement === 'True' ? 'is' : 'may be'} REPLACED${after}`;
  return `${id} (${type}) ${what}${holds && `:${holds}`}`;
}
