DROP INDEX "submission_rows_listings";--> statement-breakpoint
ALTER TABLE "sandbox_submissions" ADD COLUMN "report_token" text DEFAULT encode(substring(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea) from 1 for 16), 'hex') NOT NULL;--> statement-breakpoint
ALTER TABLE "submission_rows" ADD COLUMN "lost_at" timestamp with time zone;--> statement-breakpoint
UPDATE "submission_rows" r SET "lost_at" = l."lost_at" FROM "listing_links" l WHERE l."submission_id" = r."submission_id" AND l."directory_id" = r."directory_id" AND l."lost_at" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "sandbox_submissions_report" ON "sandbox_submissions" USING btree ("report_token");--> statement-breakpoint
CREATE INDEX "listing_links_host" ON "listing_links" USING btree ("host","next_at");--> statement-breakpoint
CREATE INDEX "listing_links_checked" ON "listing_links" USING btree ("checked_at","submission_id","directory_id");--> statement-breakpoint
CREATE INDEX "submission_rows_outcomes" ON "submission_rows" USING btree ("directory_id","updated_at","submission_id","created_at","lost_at") WHERE ("submission_rows"."is_submitted" and "submission_rows"."listing_url" is not null) or "submission_rows"."lost_at" is not null;