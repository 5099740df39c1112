CREATE TABLE "link_checks" (
	"id" text PRIMARY KEY NOT NULL,
	"submission_id" text NOT NULL,
	"directory_id" text NOT NULL,
	"listing_url" text NOT NULL,
	"state" text NOT NULL,
	"checked_at" timestamp with time zone NOT NULL,
	"status" integer,
	"final_url" text,
	"rel" text,
	"anchor_text" text,
	"noindex" boolean,
	"kept" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "link_hosts" (
	"host" text PRIMARY KEY NOT NULL,
	"next_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "robots_files" (
	"origin" text PRIMARY KEY NOT NULL,
	"rules" text NOT NULL,
	"fetched_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "listing_links" (
	"submission_id" text NOT NULL,
	"directory_id" text NOT NULL,
	"partner_id" text NOT NULL,
	"listing_url" text NOT NULL,
	"host" text NOT NULL,
	"state" text DEFAULT 'unchecked' NOT NULL,
	"recorded_at" timestamp with time zone NOT NULL,
	"checked_at" timestamp with time zone,
	"first_live_at" timestamp with time zone,
	"missing_since" timestamp with time zone,
	"lost_at" timestamp with time zone,
	"was_live" boolean DEFAULT false NOT NULL,
	"next_at" timestamp with time zone NOT NULL,
	"claim" text,
	CONSTRAINT "listing_links_submission_id_directory_id_pk" PRIMARY KEY("submission_id","directory_id")
);
--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "report_token" text DEFAULT encode(substring(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea) from 1 for 16), 'hex') NOT NULL;--> statement-breakpoint
ALTER TABLE "link_checks" ADD CONSTRAINT "link_checks_row" FOREIGN KEY ("submission_id","directory_id") REFERENCES "public"."submission_rows"("submission_id","directory_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "listing_links" ADD CONSTRAINT "listing_links_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "listing_links" ADD CONSTRAINT "listing_links_row" FOREIGN KEY ("submission_id","directory_id") REFERENCES "public"."submission_rows"("submission_id","directory_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "link_checks_row_time" ON "link_checks" USING btree ("submission_id","directory_id","checked_at");--> statement-breakpoint
CREATE INDEX "link_checks_unfolded" ON "link_checks" USING btree ("checked_at") WHERE not "link_checks"."kept";--> statement-breakpoint
CREATE INDEX "listing_links_due" ON "listing_links" USING btree ("partner_id","next_at");--> statement-breakpoint
CREATE INDEX "listing_links_claimed" ON "listing_links" USING btree ("partner_id","next_at") WHERE "listing_links"."claim" is not null;--> statement-breakpoint
CREATE INDEX "listing_links_follow_up" ON "listing_links" USING btree ("checked_at","submission_id","directory_id") WHERE "listing_links"."lost_at" is not null or "listing_links"."state" = 'blocked';--> statement-breakpoint
CREATE UNIQUE INDEX "submissions_report" ON "submissions" USING btree ("report_token");