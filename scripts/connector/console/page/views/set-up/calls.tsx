import type { Finding } from '../../../../doctor/finding.ts';
import { about, isOffered } from '../../about.ts';
import { openAction } from '../../action.ts';
import { Ago, Choice, Form } from '../../parts/form.tsx';
import { momentText } from '../../words.ts';

type Pause = Extract<NonNullable<Finding['about']>, { kind: 'pause' }>;

const QUEUES = ['orders', 'products', 'coupons', 'balances'] as const;

/** Pauses, and what ends them or tries again at once. */
export function Calls({
  pauses,
  onEnd,
}: {
  readonly pauses: readonly Pause[];
  readonly onEnd: () => void;
}) {
  const resume = (pause: Pause) => {
    const queue = pause.by === 'operator' && pause.part !== 'all' ? { queue: pause.part } : {};
    openAction({
      title: `Resume: ${pause.shop}`,
      line: { command: 'resume', options: { shop: pause.shop, ...queue } },
      onEnd,
    });
  };
  return (
    <section>
      <h2>Calls to the loyalty service</h2>
      <div class="card">
        {pauses.length === 0 && <p class="badge well">Not paused</p>}
        {pauses.map((pause) => (
          <p class="buttons" key={JSON.stringify(pause)}>
            <span class="badge waits">{pause.shop}</span>
            <span>
              {pause.by === 'operator'
                ? `${pause.part === 'all' ? 'all calls' : pause.part}: ${`paused by ${nameOf(pause.who)}`}`
                : `paused by the loyalty service until ${momentText(pause.until)}`}
              , <Ago at={pause.since} />
            </span>
            {isOffered('resume') && (
              <button type="button" onClick={() => resume(pause)}>
                Resume
              </button>
            )}
          </p>
        ))}
        {isOffered('pause') && <CallsForm onEnd={onEnd} />}
      </div>
    </section>
  );
}

/** The user, or the name of a role's session. */
const nameOf = (arn: string) => arn.split('/').at(-1) ?? arn;

function CallsForm({ onEnd }: { readonly onEnd: () => void }) {
  const queues = QUEUES.filter((one) => one !== 'balances' || about.hasStorefront);
  const act = (options: Readonly<Record<string, string>>, pressed: string) =>
    openAction(
      pressed === 'pause'
        ? {
            title: 'Pause',
            line: { command: 'pause', options: { ...options, yes: true } },
            children: (
              <p>What arrives meanwhile waits in the queues, and is sent after “Resume”.</p>
            ),
            onEnd,
          }
        : {
            title: 'Send what waits now',
            line: { command: 'retry-now', options },
            children: <p>After a repair: what waits for its next attempt is tried at once.</p>,
            onEnd,
          },
    );
  return (
    <Form class="filters" onSubmit={act}>
      <Choice label="Shop" name="shop" any="all" of={about.shops} />
      <Choice label="Queue" name="queue" any="all" of={queues} />
      <button type="submit" class="quiet" value="pause">
        Pause
      </button>
      <button type="submit" class="quiet" value="retry-now">
        Send what waits now
      </button>
    </Form>
  );
}
