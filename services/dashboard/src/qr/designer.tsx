/** Designs the QR code of a link. All codes of this browser then look alike. */
import {
  QR_COLOR,
  QR_MARGIN,
  QR_SHAPES,
  QR_SIZE,
  QR_TRANSPARENT,
  QR_WORDS_LENGTH,
  type QrDesign,
} from '@waypost/domain/qr-code';
import { useId, useRef, useState } from 'react';
import { Button, Check, Dialog, Icon, Note, NumberChoice, Problem, Segments } from '../components/index.ts';
import { useDrafts } from '../drafts.tsx';
import { number } from '../language.ts';
import { fill, words } from '../words.ts';
import { problemsOf, STANDARD, storeDesign } from './design.ts';
import { type LogoProblem, readLogo } from './logo.ts';
import { Downloads, Picture } from './picture.tsx';

const t = words.qr;

const SIZES = [256, 512, 1024, 2048, QR_SIZE.most].map((pixels) => [pixels, fill(t.pixels, { pixels })] as const);
const SHAPES = QR_SHAPES.map((shape) => [shape, t.shapes[shape]] as const);

interface DesignerProps {
  readonly url: string;
  readonly slug: string;
  readonly onClose: () => void;
}

export default function Designer({ url, slug, onClose }: DesignerProps) {
  const { design, setDesign } = useDrafts();
  /** May have colors that are refused. The picture then keeps the last ones that are not. */
  const [draft, setDraft] = useState(design);
  const [isKept, setKept] = useState(true);
  const problems = problemsOf(draft);
  const isRefused = Object.keys(problems).length > 0;
  const change = (edit: Partial<QrDesign>) => {
    const next = { ...draft, ...edit };
    setDraft(next);
    if (Object.keys(problemsOf(next)).length > 0) return;
    setDesign(next);
    setKept(storeDesign(next));
  };
  return (
    <Dialog
      title={fill(t.of, { slug })}
      isWide
      onClose={onClose}
      foot={
        <>
          <NumberChoice label={t.size} options={SIZES} value={draft.size} onChange={(size) => change({ size })} />
          <span className="grow" />
          <Button onClick={onClose}>{words.close}</Button>
          <Downloads url={url} slug={slug} design={design} isDisabled={isRefused} />
        </>
      }
    >
      <div className="designer">
        <div className="shown">
          <Picture url={url} design={design} />
          <bdi className="hint">{url}</bdi>
        </div>
        <div className="choices">
          <Colors draft={draft} problems={problems} onChange={change} />
          <Shapes draft={draft} onChange={change} />
          <LogoField logo={draft.logo} onChange={(logo) => change({ logo })} />
          <Line text={draft.words} onChange={(text) => change({ words: text })} />
          <p className="row">
            <span className="hint grow">{t.kept}</span>
            <Button variant="quiet" onClick={() => change({ ...STANDARD, logo: undefined })}>
              {t.reset}
            </Button>
          </p>
          {!isKept && <Note variant="flag">{t.notKept}</Note>}
        </div>
      </div>
    </Dialog>
  );
}

interface PartProps {
  readonly draft: QrDesign;
  readonly onChange: (edit: Partial<QrDesign>) => void;
}

function Colors({ draft, problems, onChange }: PartProps & { problems: ReturnType<typeof problemsOf> }) {
  const isTransparent = draft.background === QR_TRANSPARENT;
  return (
    <>
      <div className="pair">
        <ColorField
          label={t.color}
          value={draft.color}
          problem={problems.color}
          onChange={(color) => onChange({ color })}
        />
        {!isTransparent && (
          <ColorField
            label={t.background}
            value={draft.background}
            problem={problems.background}
            onChange={(background) => onChange({ background })}
          />
        )}
      </div>
      <Check
        label={t.transparent}
        checked={isTransparent}
        onChange={(event) =>
          onChange({ background: event.currentTarget.checked ? QR_TRANSPARENT : STANDARD.background })
        }
      />
    </>
  );
}

interface ColorFieldProps {
  readonly label: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (color: string) => void;
}

function ColorField({ label, value, problem, onChange }: ColorFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="color">
        <input
          type="color"
          aria-label={fill(t.pick, { label })}
          value={QR_COLOR.test(value) ? value.toLowerCase() : STANDARD.color}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        <input
          className="in"
          id={id}
          value={value}
          maxLength={7}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-error`}
          onChange={(event) => onChange(event.currentTarget.value.trim())}
        />
      </div>
      <span className="err" id={`${id}-error`} role="alert">
        {problem !== undefined && <Problem label={label} text={problem} />}
      </span>
    </div>
  );
}

function Shapes({ draft, onChange }: PartProps) {
  const id = useId();
  return (
    <>
      <div className="pair">
        <div className="field">
          <span className="lbl">{t.dots}</span>
          <Segments label={t.dots} options={SHAPES} value={draft.dots} onChange={(dots) => onChange({ dots })} />
        </div>
        <div className="field">
          <span className="lbl">{t.corners}</span>
          <Segments
            label={t.corners}
            options={SHAPES}
            value={draft.corners}
            onChange={(corners) => onChange({ corners })}
          />
        </div>
      </div>
      <div className="field">
        <label htmlFor={id}>{t.margin}</label>
        <div className="row">
          <input
            className="grow"
            id={id}
            type="range"
            min={QR_MARGIN.least}
            max={QR_MARGIN.most}
            value={draft.margin}
            aria-describedby={`${id}-hint`}
            onChange={(event) => onChange({ margin: Number(event.currentTarget.value) })}
          />
          <output className="num" htmlFor={id}>
            {number(draft.margin)}
          </output>
        </div>
        <span className="hint" id={`${id}-hint`}>
          {t.marginHint}
        </span>
      </div>
    </>
  );
}

function LogoField({ logo, onChange }: { logo: QrDesign['logo']; onChange: (logo: QrDesign['logo']) => void }) {
  const file = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<LogoProblem | 'partial'>();
  const read = async (chosen: File | undefined) => {
    if (chosen === undefined) return;
    const result = await readLogo(chosen);
    if (typeof result === 'string') return setProblem(result);
    setProblem(result.isPartial ? 'partial' : undefined);
    onChange(result.logo);
  };
  return (
    <div className="field">
      <span className="lbl">{t.logo}</span>
      <div className="row">
        <input
          ref={file}
          type="file"
          hidden
          accept=".svg,.png,image/svg+xml,image/png"
          aria-label={t.logo}
          onChange={(event) => {
            void read(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
        {logo !== undefined && <img className="logo" src={logo.href} alt="" />}
        <Button onClick={() => file.current?.click()}>
          <Icon name="upload" />
          {t.choose}
        </Button>
        {logo !== undefined && (
          <Button variant="quiet" onClick={() => onChange(undefined)}>
            {t.remove}
          </Button>
        )}
      </div>
      <span className="hint">{t.logoHint}</span>
      <span className="err" role="alert">
        {problem !== undefined && t.logoProblems[problem]}
      </span>
    </div>
  );
}

function Line({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{t.line}</label>
      <input
        className="in"
        id={id}
        value={text}
        maxLength={QR_WORDS_LENGTH}
        placeholder={t.linePlaceholder}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
