import { readFile } from 'node:fs/promises';
import { identifyEntity, topicRoutes } from '../../../shared/shopify/webhooks/topics.ts';
import { BadArguments, Problem } from '../exit.ts';
import { type Sample, samples } from './samples.ts';

export interface BodyOptions {
  readonly sample?: string;
  readonly file?: string;
  readonly topic?: string;
  readonly real?: boolean;
}

export interface ChosenBody {
  readonly topic: string;
  readonly body: Uint8Array;
  /** The built-in sample, if it is one. */
  readonly sample: Sample | undefined;
}

/** Checks the options before any request, so that mistakes are reported at once. */
export function checkBodyOptions({ sample, file, topic, real }: BodyOptions): void {
  if ((sample === undefined) === (file === undefined)) {
    throw new BadArguments('give --sample TOPIC or --file PATH, one of the two.');
  }
  if (sample !== undefined && !samples.some((one) => one.topic === sample)) {
    const known = samples.map((one) => one.topic).join(', ');
    throw new BadArguments(`there is no sample "${sample}"; choose one of ${known}.`);
  }
  if (sample !== undefined && topic !== undefined) {
    throw new BadArguments("a sample has its own topic: --topic is for a file's.");
  }
  if (file !== undefined && topic === undefined) {
    throw new BadArguments('a file needs --topic, such as orders/updated.');
  }
  if (file !== undefined && real) throw new BadArguments('--real is for the samples of orders.');
}

export async function chooseBody(
  options: BodyOptions,
  shop: string,
  at: Date,
): Promise<ChosenBody> {
  const sample = samples.find(({ topic }) => topic === options.sample);
  if (sample) {
    const payload = sample.build({ at, shop, test: options.real !== true });
    return { topic: sample.topic, body: Buffer.from(JSON.stringify(payload)), sample };
  }
  const { file = '', topic = '' } = options;
  try {
    return { topic, body: await readFile(file), sample: undefined };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new Problem(
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read (${code}).`,
    );
  }
}

/** The kind and id under which the receiver will queue it; undefined for a topic that is not ours. */
export function entityIn({ topic, body }: ChosenBody, shop: string) {
  const route = topicRoutes.get(topic);
  return route && { kind: route.kind, id: identifyEntity(route, body, shop) };
}
