// The open notices of a gateway, as its operator lists them.

export type Notice = {
  readonly at: string;
  readonly reviewer: string;
  readonly run: string;
  readonly gate: "request" | "response";
  readonly link: string | null;
  readonly state: string;
};

/**
 * Notices of pending reviews with their links, oldest first. Rejects where the gateway does not
 * list them; the error names its status.
 */
export async function openNotices(url: string, adminToken: string): Promise<Notice[]> {
  const path = "/admin/notices?state=open&limit=500";
  const response = await fetch(url + path, { headers: { Authorization: `Bearer ${adminToken}` } });
  if (!response.ok) throw new Error(`${path}: the gateway answered ${response.status}`);
  const { notices } = (await response.json()) as { notices: Notice[] };
  return notices.filter(({ link }) => link !== null);
}
