import { type ComponentChildren, type ComponentType, createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import {
  type Block,
  type ChartBlock,
  type CodeBlock,
  type Document,
  type FactsBlock,
  type FindingsBlock,
  isEmpty,
  type SectionBlock,
  type ShownFinding,
  type Suggestion,
  type TextBlock,
  type TimelineBlock,
  TONE_OF,
  type Verdict,
} from '../../terminal/document.ts';
import type { Ran } from '../run-command.ts';
import { about, isOffered } from './place.ts';
import { Copy, Suggestions } from './suggestion.tsx';
import { Cell, Table } from './table.tsx';
import { clockText, dayText, localText, numberText, secondText, textIn, zoneOf } from './words.ts';

const INTERRUPTED = 130;
const GONE: NonNullable<Ran['problem']> = {
  message: 'The console does not answer. Is its command still running?',
};

interface AnswerProps {
  readonly ran: Ran;
  readonly command: string;
  readonly level?: number;
}

export function Answer({ ran, command, level = 2 }: AnswerProps) {
  const { code, document, notes = [] } = ran;
  const problem = ran.problem ?? (code === undefined ? GONE : undefined);
  return (
    <>
      {problem && (
        <div class="verdict bad" role="alert">
          <p>
            {code === undefined && <strong>No answer </strong>}
            <span>{problem.message}</span>
          </p>
          {problem.next !== undefined && <p>{problem.next}</p>}
        </div>
      )}
      {!problem && code === INTERRUPTED && <p role="status">Stopped before it was complete.</p>}
      {document && <Blocks document={document} command={command} level={level} />}
      <Notes of={notes} />
    </>
  );
}

interface UnderwayProps {
  readonly ran: Ran | undefined;
  /** Said until the command reports how far it is. */
  readonly doing: string;
}

export function Underway({ ran: { progress, notes = [] } = {}, doing }: UnderwayProps) {
  const { done, total, detail } = progress ?? {};
  const words = [`${progress?.doing ?? doing}${progress ? '' : '…'}`];
  if (done !== undefined) words.push(numberText(done));
  if (total !== undefined) words.push(`of ${numberText(total)}`);
  return (
    <>
      <p class="progress" role="status">
        {words.join(' ')}
        {detail === undefined ? '' : ` · ${detail}`}
        <progress
          aria-label={doing}
          {...(total !== undefined && { value: done, max: Math.max(total, done ?? 0, 1) })}
        />
      </p>
      <Notes of={notes} />
    </>
  );
}

function Notes({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      {of.map((note) => (
        <p class="soft" key={note}>
          {note}
        </p>
      ))}
    </>
  );
}

/** More of what is typed in a terminal is folded away. */
const MOST_TYPED = 2;

/** Of the headings of blocks: the document's own is above it. */
const Level = createContext(2);

function Blocks({
  document: { verdict, blocks, next = [] },
  command,
  level = 2,
}: {
  readonly document: Document;
  readonly command: string;
  readonly level?: number;
}) {
  // Other pages of this list, the same in another way, or what is typed in a terminal: they belong below it.
  const isFurther = ({ line }: Suggestion) =>
    !isOffered(line.command) || (line.command === command && line.options.yes !== true);
  const further = next.filter(isFurther);
  const typed = further.filter(({ line }) => !isOffered(line.command));
  // The one thing to do stands where the eye is.
  const [top] = blocks;
  const only = verdict && top?.kind === 'findings' && top.findings.length === 1 ? top : undefined;
  const first = (
    <>
      {only && <FindingList of={only.findings} />}
      <Suggestions of={next.filter((one) => !isFurther(one))} />
    </>
  );
  // What says neither good nor bad is a sentence, and stands where the verdict would.
  const lead = !verdict && top?.kind === 'text' ? top : undefined;
  return (
    <Level.Provider value={level}>
      {verdict ? <Banner verdict={verdict}>{first}</Banner> : !lead && first}
      {lead && (
        <div class="verdict info">
          <Text {...lead} />
          {first}
        </div>
      )}
      <div class="blocks">
        <BlockList blocks={lead || only ? blocks.slice(1) : blocks} />
      </div>
      {typed.length > MOST_TYPED && !about.readOnly ? (
        <details class="section">
          <summary>More, in a terminal</summary>
          <Suggestions of={further} />
        </details>
      ) : (
        <Suggestions of={further} />
      )}
    </Level.Provider>
  );
}

interface BannerProps {
  readonly verdict: Verdict;
  readonly children: ComponentChildren;
}

function Banner({ verdict: { kind, what }, children }: BannerProps) {
  const name = kind.replace(/^ok|^./, (one) => one.toUpperCase());
  return (
    <section class={`verdict ${TONE_OF[kind]}`} aria-label="Verdict">
      <p role="status">
        <strong>{name}</strong> <span>{what}</span>
      </p>
      {children}
    </section>
  );
}

function BlockList({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block, index) => {
        const Shown = BLOCKS[block.kind] as ComponentType<Block>;
        return isEmpty(block) ? null : <Shown {...block} key={`${index} ${block.kind}`} />;
      })}
    </>
  );
}

const BLOCKS: {
  readonly [Kind in Block['kind']]: ComponentType<Extract<Block, { kind: Kind }>>;
} = {
  text: Text,
  findings: Findings,
  facts: Facts,
  table: (block) => (
    <div class="table">
      <Title of={block.title} />
      <Table {...block} />
    </div>
  ),
  timeline: Timeline,
  chart: Chart,
  code: Code,
  section: Section,
};

function Title({ of }: { readonly of: string | undefined }) {
  const level = useContext(Level);
  if (of === undefined) return null;
  const Heading = `h${level}` as 'h2';
  return <Heading>{of}</Heading>;
}

function Text({ text, tone }: TextBlock) {
  return (
    <div class={tone}>
      {text.split('\n').map((line, index) => (
        <p key={`${index}`}>{line}</p>
      ))}
    </div>
  );
}

/** More of them, with nothing to do, are folded away. */
const MOST_QUIET = 40;

function Findings({ title, findings }: FindingsBlock) {
  const isQuiet = ({ tone, next = [] }: ShownFinding) =>
    (tone === 'ok' || tone === 'info') && next.length === 0;
  const quiet = findings.filter(isQuiet);
  const folded = quiet.length > MOST_QUIET ? quiet : [];
  return (
    <section class="card findings">
      <Title of={title} />
      <FindingList of={findings.filter((one) => !folded.includes(one))} />
      {folded.length > 0 && (
        <details>
          <summary>{folded.length} more, with nothing to do</summary>
          <FindingList of={folded} />
        </details>
      )}
    </section>
  );
}

const MARKS = {
  ok: ['✓', 'Fine'],
  pending: ['!', 'Warning'],
  bad: ['✕', 'Problem'],
  info: ['i', 'Note'],
} as const;

function FindingList({ of }: { readonly of: readonly ShownFinding[] }) {
  return (
    <ul class="plain">
      {of.map(({ tone, name, what, fix, next = [], follows = [] }, index) => (
        <li class="finding" key={`${index}`}>
          <span class={`mark ${tone}`} role="img" aria-label={MARKS[tone][1]}>
            {MARKS[tone][0]}
          </span>
          <div>
            <p>
              {name !== undefined && <strong>{name}</strong>} <span>{what}</span>
            </p>
            {fix?.split('\n').map((line) => (
              <p class="soft" key={line}>
                {line}
              </p>
            ))}
            <Suggestions of={next} />
            {follows.length > 0 && (
              <details>
                <summary>{follows.length} more, fixed by the same step</summary>
                <FindingList of={follows} />
              </details>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Facts({ title, facts }: FactsBlock) {
  return (
    <section class="card">
      <Title of={title} />
      <FactList of={facts} />
    </section>
  );
}

function FactList({ of, near }: { readonly of: FactsBlock['facts']; readonly near?: string }) {
  return (
    <dl>
      {of.map(([label, value], index) => (
        <div key={`${index}`}>
          <dt>{label}</dt>
          <dd>
            <Cell of={value} near={near} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Here what happened stands below the answer: one with a title opens when a person wants it. */
const IS_TELEPHONE = matchMedia('(width < 40rem)').matches;

function Timeline({ title, lines }: TimelineBlock) {
  if (IS_TELEPHONE && title !== undefined) {
    return Section({ kind: 'section', title, folded: true, blocks: [{ kind: 'timeline', lines }] });
  }
  return (
    <section class="card">
      <Title of={title} />
      <ol class="timeline plain">
        {lines.map(({ at, who, what, detail, facts = [], tone }, index) => {
          const day = dayText(at);
          const isNewDay = index === 0 || day !== dayText(lines[index - 1]?.at ?? '');
          return (
            <li class={tone} key={`${index}`}>
              {isNewDay && (
                <p class="day">
                  {day}, {zoneOf(at)}
                </p>
              )}
              <time dateTime={at} title={localText(at)}>
                {secondText(at)}
              </time>
              <strong>{who}</strong>
              <div>
                <span>{what}</span>
                {detail !== undefined && <p class="soft">{detail}</p>}
                {facts.length > 0 && <FactList of={facts} near={at} />}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Code({ title = 'Text', text, folded }: CodeBlock) {
  return (
    <details class="card" open={!folded}>
      <summary>{title}</summary>
      <Copy text={text} what={title} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}

function Section({ title, blocks, folded }: SectionBlock) {
  const level = useContext(Level);
  const inner = (
    <Level.Provider value={level + 1}>
      <div class="blocks">
        <BlockList blocks={blocks} />
      </div>
    </Level.Provider>
  );
  if (folded) {
    return (
      <details class="section">
        <summary>{title}</summary>
        {inner}
      </details>
    );
  }
  return (
    <section class="section">
      <Title of={title} />
      {inner}
    </section>
  );
}

const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/** Lines over time, and the same values as a table: a drawing says nothing to a screen reader. */
function Chart({ title, from, everySeconds, unit, series }: ChartBlock) {
  const all = series.flatMap(({ values }) => values.map((one) => one ?? 0));
  const most = roundUp(Math.max(0, ...all));
  const textOf = textIn(unit, most);
  const length = Math.max(1, ...series.map(({ values }) => values.length));
  const timeAt = (at: number) => Date.parse(from) + at * everySeconds * 1000;
  const periods = Array.from({ length }, (_, at) => ({
    time: timeAt(at),
    texts: series.map(({ values }) => textOf(values[at] ?? null)),
    isEmpty: series.every(({ values }) => !values[at]),
  }));
  const [seen, setSeen] = useState(-1);
  const { time, texts } = periods[seen] ?? {};
  const pointed =
    time && [clockText(time), ...series.map(({ name }, at) => `${name} ${texts?.[at]}`)].join(', ');
  const lineClass = (index: number) => series[index]?.tone ?? `line-${index}`;
  return (
    <figure class="card chart">
      <figcaption>
        {title} <span class="soft">{pointed}</span>
      </figcaption>
      <div class="plot" aria-hidden="true">
        <div class="values">
          {[most, most / 2, 0].map((one) => (
            <span key={one}>{textOf(one)}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${length} 100`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onMouseMove={({ offsetX, currentTarget: { clientWidth } }) =>
            setSeen(Math.floor((offsetX / clientWidth) * length))
          }
          onMouseLeave={() => setSeen(-1)}
        >
          <path class="grid" d={`M0 0H${length}M0 50H${length}M0 100H${length}`} />
          {/* What never happened would hide the others' zeros. */}
          {series.map(({ name, values }, index) => (
            <g class={lineClass(index)} key={name}>
              {values.some(Boolean) && <path d={pathOf(values, most)} />}
              <path class="dots" d={pathOf(values, most, true)} />
            </g>
          ))}
          {periods.map(({ time }, at) => (
            <rect x={at} width="1" height="100" key={time} />
          ))}
        </svg>
        <div class="clocks">
          {QUARTERS.map((part) => (
            <span key={part}>{clockText(timeAt(part * length))}</span>
          ))}
        </div>
      </div>
      <ul class="legend plain" aria-hidden="true">
        {series.map(({ name }, index) => (
          <li key={name}>
            <svg class="sample" viewBox="0 0 24 8" aria-hidden="true">
              <path class={lineClass(index)} d="M0 4H24" />
            </svg>{' '}
            {name}
          </li>
        ))}
      </ul>
      <details>
        <summary>As a table</summary>
        {/* The newest first, without periods in which nothing happened. */}
        <Table
          kind="table"
          title={title}
          empty="Nothing in this time."
          columns={['Time', ...series.map(({ name }) => name)].map((name) => ({ title: name }))}
          rows={periods
            .filter(({ isEmpty }) => !isEmpty)
            .reverse()
            .map((one) => ({ cells: [localText(one.time), ...one.texts] }))}
        />
      </details>
    </figure>
  );
}

/** One even digit, or 10, with zeros: half of it is a round number, too. */
function roundUp(value: number): number {
  const size = 10 ** Math.max(0, Math.floor(Math.log10(value)));
  return size * ([2, 4, 6, 8].find((one) => one * size >= value) ?? 10);
}

/** In the middle of its period each, joined where neighbours have values; `alone`: those between two gaps, as dots. */
function pathOf(values: readonly (number | null)[], most: number, alone = false): string {
  const isGap = (at: number) => typeof values[at] !== 'number';
  const parts = values.map((one, at) => {
    if (one === null || (alone && !(isGap(at - 1) && isGap(at + 1)))) return '';
    const point = `${at + 0.5} ${100 - (one / most) * 100}`;
    return alone ? `M${point}h0` : `${isGap(at - 1) ? 'M' : 'L'}${point}`;
  });
  return parts.join('');
}
