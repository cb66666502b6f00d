import { appendFileSync } from 'node:fs';
import {
  type AccessRequest,
  type PolicyReading,
  readPolicy as readOurs,
  type Statement,
  applies as weApply,
} from '../../../local/stack/iam/policy.ts';

export * from '../../../local/stack/iam/policy.ts';

/** One question to the policies of a caller, and how each statement was understood here. */
export interface RecordedQuestion {
  readonly who: string;
  readonly request: AccessRequest;
  readonly statements: readonly RecordedStatement[];
}

/** The kind stands first in the key of an item. */
export const itemAction = (action: string, key: string): string => `${action} ${key.split('|')[0]}`;

/** A role of a template, and the actions that it is granted. */
export interface RecordedRole {
  readonly role: string;
  readonly actions: readonly string[];
}

interface RecordedStatement {
  readonly written: object;
  readonly applies: boolean;
}

const writtenAs = new WeakMap<Statement, object>();
const written = new Set<string>();
let open: { who: string; request: AccessRequest; statements: RecordedStatement[] } | undefined;
let asking = '';

/** Who asks the questions that follow. */
export function nowAsks(who: string): void {
  asking = who;
}

export function readPolicy(document: Readonly<Record<string, unknown>>): PolicyReading {
  const reading = readOurs(document);
  if (reading.kind === 'read') {
    const texts = [document.Statement].flat() as readonly object[];
    reading.statements.forEach((statement, index) => {
      writtenAs.set(statement, texts[index] ?? {});
    });
  }
  return reading;
}

export function applies(statement: Statement, request: AccessRequest): boolean {
  const answer = weApply(statement, request);
  const text = writtenAs.get(statement);
  // Permissions to invoke a function are written in a form of their own.
  if (!text) return answer;
  if (open?.request !== request) {
    const question = { who: asking, request, statements: [] };
    open = question;
    // All statements are asked before the next question.
    queueMicrotask(() => record(question));
  }
  open.statements.push({ written: text, applies: answer });
  return answer;
}

export function record(what: RecordedQuestion | RecordedRole): void {
  const line = JSON.stringify(what);
  if (written.has(line)) return;
  written.add(line);
  appendFileSync(process.env.RECORDED_QUESTIONS ?? '', `${line}\n`);
}
