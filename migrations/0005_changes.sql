-- What was announced, so that a process that could not listen for a while reads what it missed. Ordered by transaction: a number
-- would be given out before the commit, and a reader could pass by one that is still open.
CREATE TABLE "changes" (
	"xid" xid8 DEFAULT pg_current_xact_id() NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"topic" text NOT NULL,
	"ids" text[]
);
--> statement-breakpoint
CREATE INDEX "changes_xid" ON "changes" USING btree ("xid");--> statement-breakpoint
CREATE INDEX "changes_at" ON "changes" USING btree ("at");
