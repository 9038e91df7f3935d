/** The texts of visitor pages, in whole sentences, one file per language. `{...}` is filled in, `**...**` is bold. */
import type { ThreatType } from '@waypost/domain';

export interface Words {
  readonly revoked: {
    readonly title: string;
    /** {date} */
    readonly text: string;
    readonly whatNow: string;
  };
  readonly flagged: {
    readonly title: string;
    readonly suspected: Readonly<Record<ThreatType, string>>;
    readonly check: string;
    readonly whatNow: { readonly password: string; readonly download: string };
  };
  readonly threat: Readonly<Record<ThreatType, string>>;
  readonly notFound: { readonly title: string; readonly text: string; readonly note: string };
  readonly preview: {
    /** {link} */
    readonly title: string;
    /** {age} */
    readonly verdict: string;
    /** Instead of the verdict, for a link whose end is not known. */
    readonly unknown: string;
    readonly go: string;
    readonly note: string;
  };
  readonly unavailable: { readonly title: string; readonly text: string };
  readonly home: { readonly title: string; readonly text: string };
  readonly label: {
    readonly link: string;
    readonly requested: string;
    readonly suspected: string;
    readonly checked: string;
    readonly language: string;
    readonly report: string;
    readonly review: string;
  };
}
