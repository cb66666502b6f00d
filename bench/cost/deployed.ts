import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConnectorStack } from '../../infra/connector-stack.ts';
import { createApp } from '../../infra/create-app.ts';
import { describeStack, type StackTemplate } from '../../local/harness/cost.ts';
import connector from '../bench.config.ts';

/** The parts of a deployment that decide the price of a webhook. */
export interface Deployed {
  readonly receiverMb: number;
  readonly workerMb: number;
  /** The batch size of the event source. */
  readonly batchSize: number;
}

interface Resources {
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string;
        readonly Properties?: {
          readonly BatchSize?: number;
          readonly Architectures?: readonly string[];
        };
      }
    >
  >;
}

/** Read from the template, so that a change of memory or batch size changes the price. */
export function readDeployed(): Deployed {
  const template = synthesize();
  const { receiverMb, workerMb } = describeStack(template);
  const all = Object.values(template.Resources);
  const functions = all.filter(({ Type }) => Type === 'AWS::Lambda::Function');
  const isArm = functions.every(({ Properties }) => Properties?.Architectures?.[0] === 'arm64');
  if (!isArm) throw new Error('the prices are for arm64, but a function has another architecture');
  const source = all.find(({ Type }) => Type === 'AWS::Lambda::EventSourceMapping');
  const batchSize = source?.Properties?.BatchSize ?? Number.NaN;
  return { receiverMb, workerMb, batchSize };
}

/** With an empty folder instead of the bundles, because their code does not affect the price. */
function synthesize(): StackTemplate & Resources {
  const folder = mkdtempSync(join(tmpdir(), 'connector-cost-'));
  const bundle = join(folder, 'bundle');
  mkdirSync(bundle);
  try {
    const outdir = join(folder, 'cdk.out');
    const app = createApp({ outdir, builtinCloudFormationValidation: false });
    const stack = new ConnectorStack(app, { stage: 'prod', connector, bundleOf: () => bundle });
    return app.synth().getStackArtifact(stack.artifactId).template;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
