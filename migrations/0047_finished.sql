CREATE TABLE "refused_websites" (
	"website_key" text PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"refused_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "saved_items" (
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"value" text NOT NULL,
	"query" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "saved_items_user_id_kind_value_pk" PRIMARY KEY("user_id","kind","value")
);
--> statement-breakpoint
DROP INDEX "submission_rows_entered";--> statement-breakpoint
ALTER TABLE "proposals" ALTER COLUMN "tool_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "tools" ADD COLUMN "search_words" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "claims" ADD COLUMN "unasked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "proposals" ADD COLUMN "directory_id" text;--> statement-breakpoint
ALTER TABLE "proposals" ADD COLUMN "quote" text;--> statement-breakpoint
ALTER TABLE "listing_links" ADD COLUMN "drift" jsonb;--> statement-breakpoint
ALTER TABLE "listing_links" ADD COLUMN "own_words" text;--> statement-breakpoint
ALTER TABLE "saved_items" ADD CONSTRAINT "saved_items_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proposals" ADD CONSTRAINT "proposals_directory_id_directories_id_fk" FOREIGN KEY ("directory_id") REFERENCES "public"."directories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "proposals_waiting_directory" ON "proposals" USING btree ("directory_id","author_kind","author_id","field") WHERE "proposals"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "proposals_directory" ON "proposals" USING btree ("directory_id") WHERE "proposals"."directory_id" is not null;--> statement-breakpoint
CREATE INDEX "listing_links_drift" ON "listing_links" USING btree ("checked_at","submission_id","directory_id") WHERE "listing_links"."drift" is not null;--> statement-breakpoint
CREATE INDEX "submission_rows_overdue" ON "submission_rows" USING btree (coalesce("waiting_since", "submitted_at", "created_at"),"submission_id","directory_id") WHERE "submission_rows"."waiting_reason" = 'paid-queue' or "submission_rows"."is_submitted" and ("submission_rows"."waiting_reason" = 'review' or "submission_rows"."waiting_reason" is null and "submission_rows"."listing_url" is null);--> statement-breakpoint
CREATE INDEX "submission_rows_entered" ON "submission_rows" USING btree ("directory_id","submitted_at" DESC NULLS LAST) WHERE "submission_rows"."is_submitted";--> statement-breakpoint
INSERT INTO "refused_websites" ("website_key", "reason", "refused_at") SELECT DISTINCT ON ("website_key") "website_key", "reason", coalesce("decided_at", "updated_at") FROM "founder_products" WHERE "state" = 'refused' ORDER BY "website_key", "decided_at" DESC NULLS LAST;
