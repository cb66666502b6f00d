import { type Finding, findingsBlock } from '../ground/checks/check.ts';
import {
  runStep,
  type SetupDeps,
  type SetupOptions,
  type Step,
  type StoreRooms,
} from '../ground/checks/step.ts';
import { shopsOf } from '../ground/session/arguments.ts';
import type { Deployment } from '../ground/session/deployment.ts';
import {
  findLocalStack,
  openAws,
  readStageSettings,
  stageOfStack,
} from '../ground/session/find-deployment.ts';
import type { Session } from '../ground/session/session.ts';
import { type Document, text } from '../ground/terminal/document.ts';
import { BadArguments } from '../ground/terminal/exit.ts';
import { shopSteps } from './shop-steps.ts';
import {
  accountStep,
  alarmsStep,
  bootstrapStep,
  deployStep,
  quotaStep,
  settingsStep,
} from './stack-steps.ts';

/** What `doctor` does. */
export type Examine = (
  session: Pick<Session, 'findDeployment'>,
  options: SetupOptions,
) => Promise<Document>;

/** Every step in turn → doctor → what is left, and the first order. Later steps need what earlier ones have made. */
export async function runSetup(
  session: Session,
  options: SetupOptions,
  { roomOf, examine }: Pick<StoreRooms, 'roomOf'> & { readonly examine: Examine },
): Promise<Document> {
  const { deps, deployed, isDeployedHere } = await openDeps(session, options);
  const left: Finding[] = [];
  let number = 0;
  const run = async (steps: Iterable<Step>) => {
    for (const step of steps) {
      number += 1;
      left.push(...(await runStep(step, number, session)));
    }
  };
  await run([accountStep(deps), settingsStep(deps)]);
  if (isDeployedHere) await run([bootstrapStep(deps), quotaStep(deps), deployStep(deps)]);
  const deployment = await deployed();
  const shops = shopsOf(deployment.connector, options.shop);
  const isOnly = shops.length === 1;
  for (const shop of shops) await run(shopSteps({ deps, deployment, shop, isOnly }, roomOf(shop)));
  await run([alarmsStep(deps, deployment)]);
  const found = await examine({ findDeployment: async () => deployment }, options);
  const blocks = [
    ...found.blocks,
    ...(left.length > 0
      ? [findingsBlock([{ name: '', findings: left }], { title: 'Left for you' })]
      : []),
    ...(found.verdict?.kind === 'well' ? [text(firstOrder(deployment))] : []),
  ];
  return { ...found, title: `${number + 1}. Doctor: ${found.title}`, blocks };
}

function firstOrder({ connector }: Deployment): string {
  const act = connector.shops[0]?.rules.completeWhen === 'paid' ? 'pay' : 'fulfil';
  return `Next, place an order in the store and ${act} it, which is when it is sent. "trace order", with the number at the end of its address, shows its outcome.`;
}

async function openDeps(session: Session, options: SetupOptions) {
  const { stage: named, ...common } = options;
  if (named !== undefined && common.stack !== undefined) {
    throw new BadArguments('give --stage or --stack, not both.');
  }
  const given = common.stack ?? (process.env.CONNECTOR_STACK || undefined);
  const asked = named === undefined ? given : `loyalty-connector-${named}`;
  // An account or a region is never meant for this machine.
  const isOnAws = (asked ?? common.region ?? common.profile) !== undefined;
  const local = isOnAws ? undefined : await findLocalStack();
  const stack = local?.stack ?? asked ?? 'loyalty-connector-prod';
  /** Throws a `Problem` while the stack is not deployed. */
  const deployed = () => session.findDeployment(local ? undefined : stack);
  const ownStage = stageOfStack(stack);
  const stage = local?.stage ?? ownStage ?? (await deployed()).stage;
  const { terminal } = session;
  const deps: SetupDeps = {
    ...{ stage, stack, options, session, terminal },
    where: local ? 'local' : 'aws',
    aws: local?.aws ?? (await openAws(common)),
    connector: async () => local?.connector ?? readStageSettings(stage),
    agrees: async (question) => options.yes === true || terminal.confirm(question),
  };
  // A construct in an app of the user's own is deployed by that app.
  return { deps, deployed, isDeployedHere: !local && ownStage !== undefined };
}
