import type { Finding } from '../../../../doctor/finding.ts';
import { about, isOffered } from '../../about.ts';
import { openAction } from '../../action.ts';
import { Ago, Choice, Form } from '../../parts/form.tsx';
import { momentText, words } from '../../words.ts';
import { strings } from './strings.ts';

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
  const texts = words(strings);
  const resume = (pause: Pause) => {
    const queue = pause.by === 'operator' && pause.part !== 'all' ? { queue: pause.part } : {};
    openAction({
      title: `${texts.resume}: ${pause.shop}`,
      line: { command: 'resume', options: { shop: pause.shop, ...queue } },
      onEnd,
    });
  };
  return (
    <section>
      <h2>{texts.calls}</h2>
      <div class="card">
        {pauses.length === 0 && <p class="badge well">{texts.notPaused}</p>}
        {pauses.map((pause) => (
          <p class="buttons" key={JSON.stringify(pause)}>
            <span class="badge waits">{pause.shop}</span>
            <span>
              {pause.by === 'operator'
                ? `${pause.part === 'all' ? texts.allCalls : pause.part}: ${texts.pausedBy(nameOf(pause.who))}`
                : texts.pausedByService(momentText(pause.until))}
              , <Ago at={pause.since} />
            </span>
            {isOffered('resume') && (
              <button type="button" onClick={() => resume(pause)}>
                {texts.resume}
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
  const texts = words(strings);
  const queues = QUEUES.filter((one) => one !== 'balances' || about.hasStorefront);
  const act = (options: Readonly<Record<string, string>>, pressed: string) =>
    openAction(
      pressed === 'pause'
        ? {
            title: texts.pause,
            line: { command: 'pause', options: { ...options, yes: true } },
            children: <p>{texts.pauseMeans}</p>,
            onEnd,
          }
        : {
            title: texts.retryNow,
            line: { command: 'retry-now', options },
            children: <p>{texts.retryMeans}</p>,
            onEnd,
          },
    );
  return (
    <Form class="filters" onSubmit={act}>
      <Choice label={texts.shop} name="shop" any={texts.all} of={about.shops} />
      <Choice label={texts.queue} name="queue" any={texts.all} of={queues} />
      <button type="submit" class="quiet" value="pause">
        {texts.pause}
      </button>
      <button type="submit" class="quiet" value="retry-now">
        {texts.retryNow}
      </button>
    </Form>
  );
}
