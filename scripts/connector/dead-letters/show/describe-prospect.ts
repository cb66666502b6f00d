import type { Outcome } from '../../../../shared/core/events/outcome.ts';
import type { Task } from '../../../../shared/core/store/store.ts';
import { explainAwsError } from '../../deployment/explain-aws-error.ts';
import type { CommonOptions } from '../../session.ts';
import type { Prospect } from './examine-letter.ts';

/** One sentence on what would happen to the letter now. */
export function describeProspect(prospect: Prospect, options: CommonOptions): string {
  switch (prospect.kind) {
    case 'unreadable':
      return `A replay would only bring it back: ${prospect.why}.`;
    case 'storefront':
      return 'Its worker would decide by what it finds then: an older balance never replaces a newer one, and a redemption goes on from where it stands.';
    case 'task':
      return describeTask(prospect.task);
    case 'unknown': {
      const { error } = prospect;
      const known = explainAwsError(error, options)?.message;
      const words = known ?? (error instanceof Error ? error.message : String(error));
      return `This is not known now, because the store could not be asked: ${words}`;
    }
    case 'preview': {
      const asked = prospect.preview.storeAsked ? ' The store was asked.' : '';
      return `${describeOutcome(prospect.preview.outcome)}${asked}`;
    }
  }
}

function describeOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'applied':
      return `It would be sent: ${outcome.calls.join(', then ')}.`;
    case 'unchanged':
      return 'Nothing would be sent: it is applied already (--force sends it all the same).';
    case 'superseded':
      return 'Nothing would be sent: a newer version is settled already.';
    case 'skipped':
      return `Nothing would be sent: it is skipped (${outcome.why}).`;
    case 'handled':
      return `It would be handled (${outcome.how}).`;
    case 'retry':
      return `It would wait and be tried again (${outcome.why}).`;
    case 'rejected':
      return `It would be refused again: ${outcome.why}.`;
  }
}

function describeTask(task: Task): string {
  switch (task.kind) {
    case 'fan-out':
      return 'The codes of the discount would be read from the store and sent one by one.';
    case 'sync-code':
      return 'The code would be read from the store and sent.';
    case 'skip':
      return `Nothing would be sent: it is skipped (${task.why}).`;
    case 'redact':
      return 'What the ledger remembers of the customer would be erased.';
    case 'merge':
      return 'It would be asked whether the customer who is gone still has points.';
    case 'notify':
      return `A notice would be recorded for a person: ${task.why}.`;
  }
}
