/** What one address answered. Everything in it is hostile text, of bounded length. */
export type Inspection =
  /** `location` is absolute or relative, and not checked. */
  | { readonly kind: 'redirect'; readonly location: string }
  | {
      readonly kind: 'page';
      readonly status: number;
      readonly title: string;
      readonly hasPassword: boolean;
      /** Address of its favicon, absolute or relative. */
      readonly icon: string | null;
      /** The format of the program that it is instead of a page. */
      readonly program: string | null;
    }
  /** Not asked: no link may lead there, or it leads to an address that is not public. */
  | { readonly kind: 'refused'; readonly why: string }
  /** No answer that says anything: it may help to ask again later. */
  | { readonly kind: 'failed'; readonly why: string };

/** Asks one address of the public Internet what it is. It follows nothing and executes nothing. */
export interface PageInspector {
  /** Takes at most `withinMs`. Rejects only if the inspector itself is away. */
  inspect(url: string, withinMs: number): Promise<Inspection>;
}
