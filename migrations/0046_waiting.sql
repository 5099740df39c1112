CREATE TABLE "directory_searches" (
	"submission_id" text NOT NULL,
	"directory_id" text NOT NULL,
	"state" text NOT NULL,
	"listing_url" text,
	"asked_at" timestamp with time zone NOT NULL,
	CONSTRAINT "directory_searches_submission_id_directory_id_pk" PRIMARY KEY("submission_id","directory_id")
);
--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "automation" text DEFAULT 'unknown' NOT NULL;--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "automation_quote" text;--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "automation_read_on" text;--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "search_link" text;--> statement-breakpoint
ALTER TABLE "submission_rows" ADD COLUMN "waiting_reason" text;--> statement-breakpoint
ALTER TABLE "submission_rows" ADD COLUMN "waiting_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "directory_searches" ADD CONSTRAINT "directory_searches_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "directory_searches" ADD CONSTRAINT "directory_searches_directory_id_directories_id_fk" FOREIGN KEY ("directory_id") REFERENCES "public"."directories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "submission_rows_rejected" ON "submission_rows" USING btree ("directory_id") WHERE "submission_rows"."waiting_reason" = 'rejected';