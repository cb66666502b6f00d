import { createEventReader } from '../../../../shared/shopify/webhooks/read-event.ts';
import { type Deployment, nextCommand } from '../../deployment/deployment.ts';
import { openLedger } from '../../deployment/open-ledger.ts';
import { openShopServices } from '../../deployment/services.ts';
import { EXIT, type ExitCode, Problem } from '../../exit.ts';
import type { CommonOptions, Session } from '../../session.ts';
import { familiesOf } from '../letter-filter.ts';
import { openLetterQueues } from '../letter-queues.ts';
import { surveyLetters } from '../list/survey-letters.ts';
import type { ReadLetter } from '../read-letter.ts';
import { type ExaminingWorld, examineLetter } from './examine-letter.ts';
import { letterAsJson } from './letter-as-json.ts';
import { printLetter } from './print-letter.ts';

/** An entity that fails again and again has many letters, and they tell the same. */
const MOST_SHOWN = 5;

/** `loyalty-connector dead-letters show ID` */
export async function showLetter(
  session: Session,
  id: string,
  options: CommonOptions & { readonly reveal?: boolean },
): Promise<ExitCode> {
  const { terminal } = session;
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const found: ReadLetter[] = [];
  const progress = terminal.progress('Looking for it:');
  const { matching } = await surveyLetters({
    queues: openLetterQueues(deployment, familiesOf({}, deployment.connector)),
    filter: { id },
    signal,
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
    onMatch(letter) {
      found.push(letter);
      found.sort((a, b) => b.at - a.at).splice(MOST_SHOWN);
    },
  });
  progress.end();
  if (found.length === 0) {
    throw new Problem(
      `No dead letter is, or is about, ${id}.`,
      `${nextCommand(deployment, 'dead-letters list')} shows what is there.`,
    );
  }
  const world = examiningWorld(deployment);
  const examined = [];
  for (const letter of found) examined.push(await examineLetter(letter, world));
  if (session.json) {
    terminal.json({ matching, letters: examined.map((one) => letterAsJson(one, options)) });
    return EXIT.fine;
  }
  for (const [index, one] of examined.entries()) {
    if (index > 0) terminal.line();
    printLetter(one, { terminal, options, now: new Date() });
  }
  if (matching > found.length) {
    terminal.line();
    terminal.line(`${matching - found.length} older ones about it are not shown.`);
  }
  return EXIT.fine;
}

function examiningWorld(deployment: Deployment): ExaminingWorld {
  const { connector } = deployment;
  const { store } = openShopServices(deployment);
  const ledger = openLedger(deployment);
  return {
    ledger,
    read: createEventReader(new Set(connector.shops.map(({ domain }) => domain))),
    shop(domain) {
      const shop = connector.shops.find((one) => one.domain === domain);
      if (!shop) throw new Error('an event of an unknown shop was not called unreadable');
      const { assumptions } = connector.loyalty;
      return { store, ledger, rules: shop.rules, assumptions, now: () => new Date() };
    },
  };
}
